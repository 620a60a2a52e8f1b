import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Engine } from '#ops/local-engines/engine.ts'
import { openKafkaWorkQueue } from '#packages/adapters/kafka/work-queue.ts'
import type { TaskConsumer, WorkQueue } from '#packages/ports/work-queue.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { type OwnEngines, startOwnEngines } from '#test/doubles/engines/own-engines.ts'
import { someTask } from '#test/doubles/engines/some-task.ts'

const log = createLog('test', 'silent')

/** Takes and acknowledges until all these jobs have come. */
async function takeAll(consumer: TaskConsumer, jobs: Iterable<string>, withinMs: number): Promise<void> {
  const missing = new Set(jobs)
  const signal = AbortSignal.timeout(withinMs)
  while (missing.size > 0) {
    const delivery = await consumer.take('standard', signal)
    await delivery.acknowledge()
    missing.delete(delivery.task.jobId)
  }
}

const publish = async (queue: WorkQueue, count: number): Promise<string[]> => {
  const tasks = Array.from({ length: count }, () => someTask())
  await Promise.all(tasks.map((task) => queue.publish(task)))
  return tasks.map(({ jobId }) => jobId)
}

describe('the work queue when its only broker is away', function () {
  this.timeout(120_000)
  let own: OwnEngines
  let broker: Engine
  before(async () => {
    own = await startOwnEngines('kafka')
    broker = own.engines[0] as Engine
  })
  after(() => own[Symbol.asyncDispose]())
  const open = () =>
    openKafkaWorkQueue({ brokers: [own.url], log, partitions: 2, replication: 0, prefix: `test-${randomUUID()}` })

  it('rides out 20 seconds without it: what is published meanwhile is taken, and the consumer goes on', async () => {
    await using queue = await open()
    await using consumer = queue.consume('fetch')
    await takeAll(consumer, await publish(queue, 10), 20_000)
    await broker.stop()
    const publishing = publish(queue, 10)
    await sleep(20_000)
    await broker.start()
    const jobs = await publishing
    await takeAll(consumer, jobs, 30_000)
    await takeAll(consumer, await publish(queue, 10), 10_000)
  })

  it('goes on after it was killed', async () => {
    await using queue = await open()
    await using consumer = queue.consume('fetch')
    await takeAll(consumer, await publish(queue, 10), 20_000)
    await broker.kill()
    const publishing = publish(queue, 10)
    await broker.start()
    await takeAll(consumer, await publishing, 40_000)
  })

  for (const [how, takeAway, bringBack] of [
    ['stopped', () => broker.stop(), () => broker.start()],
    ['frozen', async () => broker.freeze(), async () => broker.thaw()],
  ] as const)
    it(`is closed within 10 seconds while it is ${how}, and gives back what it could not publish`, async () => {
      const queue = await open()
      const consumer = queue.consume('fetch')
      await takeAll(consumer, await publish(queue, 4), 20_000)
      await takeAway()
      const publishing = publish(queue, 1).catch((error: Error) => error.message)
      const taking = consumer.take('standard', AbortSignal.timeout(60_000)).catch((error: Error) => error.message)
      // Long enough for its clients to have noticed.
      await sleep(2000)
      const from = Date.now()
      await queue[Symbol.asyncDispose]()
      expect(Date.now() - from).to.be.below(10_000)
      expect(await publishing).to.equal('the work queue is closed')
      expect(await taking).to.equal('the consumer of fetch is closed')
      await bringBack()
    })

  it('waits for a broker that starts after it, whose refusals kafkajs does not retry', async () => {
    await broker.stop()
    const opening = open()
    await sleep(1500)
    await broker.start()
    await using queue = await opening
    await publish(queue, 1)
  })

  it('says so where no broker comes', async () => {
    const options = { log, partitions: 1, replication: 0, prefix: 'none', openMs: 1500 }
    const error = await openKafkaWorkQueue({ brokers: ['127.0.0.1:1'], ...options }).catch((thrown: Error) => thrown)
    expect(error).to.be.instanceOf(Error)
  })
})
