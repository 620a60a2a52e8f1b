import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { Kafka } from 'kafkajs'
import type { Engine } from '#ops/local-engines/engine.ts'
import { KafkaWorkQueue, openKafkaWorkQueue } from '#packages/adapters/kafka/work-queue.ts'
import { lanes } from '#packages/domain/job/events.ts'
import type { TaskConsumer, WorkQueue } from '#packages/ports/work-queue.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { startOwnEngines } from '#test/doubles/engines/own-engines.ts'
import { someTask } from '#test/doubles/engines/some-task.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { until } from '#test/doubles/service/until.ts'

const log = createLog('test', 'silent')

/** Longer than brokers and clients need to find one another again on a busy machine. */
const PATIENCE_MS = 90_000

/** Longer than a session of the group, and longer than the clients retry by themselves. */
const AWAY_MS = 12_000

/** Takes and acknowledges tasks until all these jobs have come. */
async function takeAll(consumer: TaskConsumer, jobs: Iterable<string>): Promise<void> {
  const missing = new Set(jobs)
  const signal = AbortSignal.timeout(PATIENCE_MS)
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
  this.timeout(240_000)
  const own = openedForAll(() => startOwnEngines('kafka'))
  const broker = madeForAll(() => own.engines[0] as Engine)
  const options = () => ({ brokers: [own.url], log, partitions: 2, replication: 0, prefix: `test-${randomUUID()}` })
  const open = () => openKafkaWorkQueue(options())

  it('survives more than a session without it: tasks that are published meanwhile are taken, and the consumer continues', async () => {
    await using queue = await open()
    await using consumer = queue.consume('fetch')
    await takeAll(consumer, await publish(queue, 10))
    await broker.stop()
    const publishing = publish(queue, 10)
    await sleep(AWAY_MS)
    await broker.start()
    const jobs = await publishing
    await takeAll(consumer, jobs)
    await takeAll(consumer, await publish(queue, 10))
  })

  it('continues after the broker was killed', async () => {
    await using queue = await open()
    await using consumer = queue.consume('fetch')
    await takeAll(consumer, await publish(queue, 10))
    await broker.kill()
    const publishing = publish(queue, 10)
    await broker.start()
    await takeAll(consumer, await publishing)
  })

  for (const [how, takeAway, bringBack] of [
    ['stopped', () => broker.stop(), () => broker.start()],
    ['frozen', async () => broker.freeze(), async () => broker.thaw()],
  ] as const)
    it(`closes within 10 seconds while the broker is ${how}, and rejects what it could not publish`, async () => {
      const queue = await open()
      const consumer = queue.consume('fetch')
      await takeAll(consumer, await publish(queue, 4))
      await takeAway()
      const publishing = publish(queue, 1).catch((error: Error) => error.message)
      const taking = consumer.take('standard', AbortSignal.timeout(60_000)).catch((error: Error) => error.message)
      // Long enough for its clients to notice.
      await sleep(2000)
      const from = Date.now()
      await queue[Symbol.asyncDispose]()
      // A busy machine adds to the ten seconds.
      expect(Date.now() - from).to.be.below(30_000)
      expect(await publishing).to.equal('the work queue is closed')
      expect(await taking).to.equal('the consumer of fetch is closed')
      await bringBack()
    })

  it('waits for a broker that starts after it, though kafkajs does not retry the broker’s refusals', async () => {
    await broker.stop()
    await using queue = new KafkaWorkQueue(options())
    await using consumer = queue.consume('fetch')
    // A publication gives up after half a minute. On a busy machine a broker takes longer to start.
    const publishing = publish(queue, 4).catch(() => publish(queue, 4))
    const away = await queue.look().catch((error: Error) => error)
    expect(away).to.be.instanceOf(Error)
    await broker.start()
    await takeAll(consumer, await publishing)
    await until('it is ready', async () => (await queue.look()) === undefined)
  })

  it('makes topics again that were deleted while it runs, and continues', async () => {
    const { prefix, ...others } = options()
    await using queue = await openKafkaWorkQueue({ prefix, ...others })
    await using consumer = queue.consume('fetch')
    await takeAll(consumer, await publish(queue, 10))
    const admin = new Kafka({ brokers: [own.url], logLevel: 0 }).admin()
    await admin.connect()
    const topics = lanes.map((lane) => `${prefix}.fetch.${lane}`)
    await admin.deleteTopics({ topics })
    await admin.disconnect()
    // The brokers report it a moment later.
    expect(await until('they are missed', () => queue.look())).to.match(/^Kafka lacks the topics? /)
    await until('they are there again', async () => (await queue.look()) === undefined)
    // If the consumer skipped the first messages of the new topic, their repeated publication still arrives.
    const tasks = Array.from({ length: 10 }, () => someTask())
    const jobs = tasks.map(({ jobId }) => jobId)
    const taking = takeAll(consumer, jobs).then(() => true)
    await until('all have come', async () => {
      for (const task of tasks) await queue.publish(task)
      return Promise.race([taking, sleep(1000, false)])
    })
  })

  it('reports that no broker comes', async () => {
    const nowhere = { ...options(), brokers: ['127.0.0.1:1'], openMs: 1500 }
    const error = await openKafkaWorkQueue(nowhere).catch((thrown: Error) => thrown)
    expect(error).to.be.instanceOf(Error)
  })
})
