import { expect } from 'chai'
import { steps } from '#packages/domain/job/events.ts'
import { someTask } from '#test/doubles/engines/some-task.ts'
import { decodeTask, encodeTask, messageOf, NotATaskError } from './task-message.ts'

const task = someTask()

const reasonOf = (message: Buffer | null): string => {
  try {
    decodeTask(message, 'fetch', 'standard')
    return 'none'
  } catch (error) {
    expect(error).to.be.instanceOf(NotATaskError)
    return (error as Error).message
  }
}

describe('task messages', () => {
  it('carry a task of every step', () => {
    for (const step of steps)
      expect(decodeTask(encodeTask({ ...task, step }), step, 'standard')).to.deep.equal({ ...task, step })
  })

  it('repeat the traceparent of the task in the header that tools read', () => {
    const { value, headers } = messageOf(task)
    expect(decodeTask(value, 'fetch', 'standard')).to.deep.equal(task)
    expect(headers).to.deep.equal({ traceparent: task.traceparent })
  })

  it('are refused with the reason if they break contracts/tasks', () => {
    const { attempt: _, ...short } = task
    expect(reasonOf(Buffer.from(JSON.stringify(short)))).to.contain("must have required property 'attempt'")
    expect(reasonOf(Buffer.from('{'))).to.equal('the message is not JSON')
    expect(reasonOf(null)).to.equal('the message is not JSON')
    expect(() => encodeTask({ ...task, revision: -1 })).to.throw(NotATaskError, '/revision')
  })

  it('are refused in the topic of another step or lane', () => {
    const stray = encodeTask({ ...task, lane: 'priority' })
    expect(reasonOf(stray)).to.equal('the message is a priority task of fetch, among standard tasks of fetch')
  })
})
