import { expect } from 'chai'
import { until } from '#test/doubles/service/until.ts'
import { TimedThread } from './timed-thread.ts'

/** Answers with the question and the number of questions so far. On request, fails while it is idle. */
const program = `
import { parentPort } from 'node:worker_threads'
let count = 0
parentPort.on('message', (question) => {
  parentPort.postMessage({ answer: [question, ++count] })
  if (question === 'fail') setImmediate(() => { throw new Error('too late') })
})
parentPort.postMessage('ready')
`

describe('a timed thread', () => {
  it('that fails while idle ends by itself, and another one answers the next question', async () => {
    await using thread = new TimedThread({
      module: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
      timeoutMs: 5000,
      memoryMib: 32,
    })
    expect(await thread.ask('a')).to.deep.equal(['a', 1])
    expect(await thread.ask('fail')).to.deep.equal(['fail', 2])
    await until('another thread answers', async () => {
      const [, count] = (await thread.ask('b').catch(() => ['', 0])) as [string, number]
      return count === 1
    })
  })
})
