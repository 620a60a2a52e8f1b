import { expect } from 'chai'
import { describeWorkQueue } from '#packages/ports/work-queue.contract.ts'
import { someTask } from '#test/doubles/engines/some-task.ts'
import { MemoryWorkQueue } from './work-queue.ts'

describeWorkQueue('MemoryWorkQueue', async () => ({
  open: async () => new MemoryWorkQueue(),
  async [Symbol.asyncDispose]() {},
}))

const task = (jobId: string) => someTask({ jobId })

describe('MemoryWorkQueue', () => {
  it('refuses tasks above the limit of a lane, and accepts them once there is room', async () => {
    await using queue = new MemoryWorkQueue({ maxTasksPerLane: 2 })
    await queue.publish(task('1'))
    await queue.publish(task('2'))
    const error = await queue.publish(task('3')).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(Error)
    await queue.publish({ ...task('4'), lane: 'priority' })
    await queue.consume('fetch').take('standard', AbortSignal.timeout(1000))
    await queue.publish(task('3'))
  })

  it('keeps the newest dead letters with their reasons', async () => {
    const rejected: string[] = []
    await using queue = new MemoryWorkQueue({ maxDeadLetters: 2, onDeadLetter: (step) => rejected.push(step) })
    const consumer = queue.consume('fetch')
    for (const jobId of ['1', '2', '3']) {
      await queue.publish(task(jobId))
      const delivery = await consumer.take('standard', AbortSignal.timeout(1000))
      await delivery.reject(`reason ${jobId}`)
    }
    const kept = (await queue.listDeadLetters()).map(({ message, reason }) => [JSON.parse(message).jobId, reason])
    expect(kept).to.deep.equal([
      ['2', 'reason 2'],
      ['3', 'reason 3'],
    ])
    expect(rejected).to.deep.equal(['fetch', 'fetch', 'fetch'])
  })

  it('ends the wait of a consumer that is closed', async () => {
    await using queue = new MemoryWorkQueue()
    const consumer = queue.consume('fetch')
    const taking = consumer.take('standard', AbortSignal.timeout(1000)).catch((error: Error) => error.message)
    await consumer[Symbol.asyncDispose]()
    expect(await taking).to.equal('the consumer of fetch is closed')
  })
})
