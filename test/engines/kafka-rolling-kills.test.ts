import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { type Admin, Kafka } from 'kafkajs'
import { openKafkaWorkQueue } from '#packages/adapters/kafka/work-queue.ts'
import type { TaskConsumer, WorkQueue } from '#packages/ports/work-queue.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { startOwnEngines } from '#test/doubles/engines/own-engines.ts'
import { someTask } from '#test/doubles/engines/some-task.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { until } from '#test/doubles/service/until.ts'

/** How many tasks are sent at full speed: more than twice as many as the three kills need. */
const SENDS = 20_000
const CALLERS = 200

/** Publishes from many callers at once until it is stopped. `taken`: the jobs that the queue has accepted. */
class Load {
  readonly taken = new Set<string>()
  refused = 0
  readonly #stop = new AbortController()
  readonly #callers: Promise<void>[]

  constructor(queue: WorkQueue) {
    this.#callers = Array.from({ length: CALLERS }, () => this.#call(queue))
  }

  async #call(queue: WorkQueue): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const task = someTask()
      await queue.publish(task).then(
        () => this.taken.add(task.jobId),
        () => {
          this.refused += 1
        },
      )
      // Once the log is large enough, the remaining kills need some load, but no larger log.
      if (this.taken.size > SENDS) await sleep(200)
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#callers)
  }
}

/** Every job in the log of a topic. */
async function jobsInLog(kafka: Kafka, admin: Admin, topic: string): Promise<Set<string>> {
  const ends = new Map((await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, Number(high)]))
  for (const [partition, end] of ends) if (end === 0) ends.delete(partition)
  const jobs = new Set<string>()
  const consumer = kafka.consumer({ groupId: `read-${randomUUID()}` })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    async eachBatch({ batch }) {
      for (const { value } of batch.messages) jobs.add(JSON.parse(value?.toString() ?? '').jobId)
      if (Number(batch.lastOffset()) + 1 >= (ends.get(batch.partition) ?? 0)) ends.delete(batch.partition)
    },
  })
  await until('the whole log is read', () => ends.size === 0)
  await consumer.disconnect()
  return jobs
}

async function takeEverything(consumer: TaskConsumer, seen: Set<string>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const delivery = await consumer.take('standard', stop).catch(() => undefined)
    if (delivery === undefined) continue
    await delivery.acknowledge()
    seen.add(delivery.task.jobId)
  }
}

describe('the work queue on three brokers that are killed in turn', function () {
  this.timeout(600_000)
  const own = openedForAll(() => startOwnEngines('kafka', 3))

  it(`loses none of ${SENDS} acknowledged tasks, and delivers them all`, async () => {
    const brokers = own.url.split(',')
    const prefix = `test-${randomUUID()}`
    const topic = `${prefix}.fetch.standard`
    const log = createLog('test', process.env.LOG_LEVEL ?? 'silent')
    await using queue = await openKafkaWorkQueue({ brokers, log, partitions: 6, replication: 3, prefix })
    const kafka = new Kafka({ brokers, logLevel: 0, retry: { retries: 30, maxRetryTime: 500 } })
    const admin = kafka.admin()
    await admin.connect()
    const seen = new Set<string>()
    const stop = new AbortController()
    const taking = takeEverything(queue.consume('fetch'), seen, stop.signal)
    const load = new Load(queue)
    const areInSync = async (): Promise<boolean> => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
      return topics[0]?.partitions.every(({ isr }) => isr.length === 3) ?? false
    }
    const grown = (by: number): Promise<unknown> => {
      const from = load.taken.size
      return until(`${by} more tasks are taken`, () => load.taken.size >= from + by, { seconds: 180 })
    }
    const times: string[] = []
    for (const engine of own.engines) {
      await grown(4000)
      const from = Date.now()
      await engine.kill()
      // The cluster counts the broker as gone, its partitions move, and the other brokers accept tasks.
      await grown(1000)
      times.push(`${engine.kind.name} ${((Date.now() - from) / 1000).toFixed(1)} s`)
      await engine.start()
      await until('all replicas are in sync again', () => areInSync().catch(() => false), { seconds: 180 })
    }
    await until('enough tasks were taken', () => load.taken.size >= SENDS, { seconds: 180 })
    await load.stop()
    const logged = await jobsInLog(kafka, admin, topic)
    await admin.disconnect()
    const missing = [...load.taken].filter((job) => !logged.has(job))
    const delivered = (): boolean => [...load.taken].every((job) => seen.has(job))
    await until('every acknowledged task is delivered', delivered, { seconds: 180, everyMs: 500 })
    stop.abort()
    await taking
    console.log(
      `        ${load.taken.size} acknowledged, ${missing.length} missing, ${load.refused} refused; ` +
        `1,000 more taken after each kill: ${times.join(', ')}`,
    )
    expect(missing).to.deep.equal([])
    expect(load.taken.size).to.be.at.least(SENDS)
  })
})
