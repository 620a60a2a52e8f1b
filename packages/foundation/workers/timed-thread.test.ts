import { expect } from 'chai'
import { until } from '#test/doubles/service/until.ts'
import { TimedThread } from './timed-thread.ts'

/**
 * Answers with the question and the number of questions so far. On request, fails while it is idle: once `isAnswered` is
 * set, because an error may overtake an answer.
 */
const program = `
import { parentPort } from 'node:worker_threads'
let count = 0
parentPort.on('message', ({ word, isAnswered }) => {
  parentPort.postMessage({ answer: [word, ++count] })
  if (word === 'fail') setImmediate(() => { Atomics.wait(isAnswered, 0, 0); throw new Error('too late') })
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
    const isAnswered = new Int32Array(new SharedArrayBuffer(4))
    expect(await thread.ask({ word: 'a' })).to.deep.equal(['a', 1])
    expect(await thread.ask({ word: 'fail', isAnswered })).to.deep.equal(['fail', 2])
    Atomics.store(isAnswered, 0, 1)
    Atomics.notify(isAnswered, 0)
    await until('another thread answers', async () => {
      const [, count] = (await thread.ask({ word: 'b' }).catch(() => ['', 0])) as [string, number]
      return count === 1
    })
  })
})
