import { expect } from 'chai'
import { someTask } from '#test/doubles/engines/some-task.ts'
import { decodeTask, encodeTask, NotATaskError } from './task-message.ts'

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
  it('carry a task', () => {
    expect(decodeTask(encodeTask(task), 'fetch', 'standard')).to.deep.equal(task)
  })

  it('are refused with the reason where they break contracts/tasks', () => {
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
