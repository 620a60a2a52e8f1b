import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Consumer, ConsumerRunConfig, EachBatchPayload } from 'kafkajs'
import { createLog } from '#packages/telemetry/log.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { someTask } from '#test/doubles/engines/some-task.ts'
import { until } from '#test/doubles/service/until.ts'
import { KafkaLink } from './link.ts'
import type { KafkaLog } from './log.ts'
import { StepConsumer, type StepConsumerOptions } from './step-consumer.ts'
import { encodeTask } from './task-message.ts'
import { ensureTopics, Topics } from './topics.ts'

const silent = createLog('test', 'silent')

const SESSION_TIMEOUT_MS = 12_000

/** The topics of one test, and consumers of the step fetch with their own connections. */
class Setting {
  readonly topics = new Topics(`test-${randomUUID()}`)
  readonly topic = this.topics.of('fetch', 'standard')
  readonly warnings: string[] = []
  readonly setAside: string[] = []
  readonly #brokers: string[]
  readonly #links: KafkaLink[] = []
  readonly #own: KafkaLink

  constructor(url: string) {
    this.#brokers = url.split(',')
    this.#own = this.link()
  }

  link(): KafkaLink {
    const link = new KafkaLink({ brokers: this.#brokers }, silent)
    this.#links.push(link)
    return link
  }

  async makeTopics(partitions: number): Promise<void> {
    await this.#own.withAdmin((admin) => ensureTopics(admin, this.topics, { partitions, replication: 1 }))
  }

  async publish(count: number, partition: number): Promise<string[]> {
    const tasks = Array.from({ length: count }, () => someTask())
    await this.publishValues(partition, ...tasks.map((task) => encodeTask(task).toString()))
    return tasks.map(({ jobId }) => jobId)
  }

  async publishValues(partition: number, ...values: string[]): Promise<void> {
    const producer = this.#own.kafka.producer()
    await producer.connect()
    await producer.send({ topic: this.topic, messages: values.map((value) => ({ value, partition })) })
    await producer.disconnect()
  }

  consumer(link: KafkaLink, options: Partial<StepConsumerOptions> = {}): StepConsumer {
    const log: KafkaLog = { debug() {}, info() {}, warn: (_, message) => void this.warnings.push(message), error() {} }
    return new StepConsumer(link, log, {
      step: 'fetch',
      slots: 1,
      topics: this.topics,
      topicsMade: Promise.resolve(),
      maxWaitingPerLane: 100,
      sessionTimeoutMs: SESSION_TIMEOUT_MS,
      // A busy machine may stall for longer than a shorter limit.
      stallMs: 30_000,
      setAside: async ({ message }, reason) => void this.setAside.push(`${message.value}: ${reason}`),
      ...options,
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const link of this.#links) link.end()
  }
}

/** Longer than a busy machine takes to form a group or to replace a member. */
const soon = (): AbortSignal => AbortSignal.timeout(60_000)

/** Takes until all these jobs have arrived. Some arrive twice when the group rebalances. */
async function takeAllOf(jobs: readonly string[], ...consumers: StepConsumer[]): Promise<Set<string>[]> {
  const missing = new Set(jobs)
  const done = new AbortController()
  const signal = AbortSignal.any([done.signal, soon()])
  const takeEach = async (consumer: StepConsumer): Promise<Set<string>> => {
    const taken = new Set<string>()
    while (missing.size > 0) {
      const delivery = await consumer.take('standard', signal).catch(() => undefined)
      if (delivery === undefined) break
      await delivery.acknowledge()
      taken.add(delivery.task.jobId)
      missing.delete(delivery.task.jobId)
    }
    done.abort()
    return taken
  }
  const taken = await Promise.all(consumers.map(takeEach))
  expect([...missing], 'never came').to.deep.equal([])
  return taken
}

const take = async (consumer: StepConsumer, count: number): Promise<string[]> => {
  const jobs: string[] = []
  const signal = soon()
  while (jobs.length < count) {
    const delivery = await consumer.take('standard', signal)
    await delivery.acknowledge()
    jobs.push(delivery.task.jobId)
  }
  return jobs
}

/** Calls a hook with every kafkajs consumer of a link, so that a test can make it misbehave. */
function hook(link: KafkaLink, onConsumer: (consumer: Consumer) => void): void {
  const another = link.another.bind(link)
  link.another = () => {
    const own = another()
    const make = own.patient.consumer.bind(own.patient)
    own.patient.consumer = (config) => {
      const consumer = make(config)
      onConsumer(consumer)
      return consumer
    }
    return own
  }
}

type OnBatch = (payload: EachBatchPayload) => Promise<void>

/** Puts a function between kafkajs and the handler of its batches. */
function wrapBatches(link: KafkaLink, wrap: (payload: EachBatchPayload, onBatch: OnBatch) => Promise<void>): void {
  hook(link, (consumer) => {
    const run = consumer.run.bind(consumer)
    consumer.run = (config: ConsumerRunConfig = {}) =>
      run({ ...config, eachBatch: (payload) => wrap(payload, config.eachBatch as OnBatch) })
  })
}

describeOn('kafka', (url) => {
  describe('a consumer of a step on Kafka', function () {
    this.timeout(180_000)
    let setting: Setting
    beforeEach(() => {
      setting = new Setting(url)
    })
    afterEach(() => setting[Symbol.asyncDispose]())

    it('is replaced when it receives nothing while messages wait, without an event from kafkajs', async () => {
      await setting.makeTopics(1)
      const link = setting.link()
      const consumers: Consumer[] = []
      hook(link, (consumer) => consumers.push(consumer))
      await using consumer = setting.consumer(link, { stallMs: 3000 })
      await takeAllOf(await setting.publish(1, 0), consumer)
      consumers[0]?.pause([{ topic: setting.topic }])
      await takeAllOf(await setting.publish(3, 0), consumer)
      // A busy machine may stall for so long that the second one is replaced too.
      expect(consumers).to.have.length.of.at.least(2)
      expect(new Set(setting.warnings)).to.deep.equal(new Set(['a consumer has ended; another takes its place']))
    })

    it('is replaced when kafkajs gives it up', async () => {
      await setting.makeTopics(1)
      const link = setting.link()
      let left = 1
      wrapBatches(link, async (payload, onBatch) => {
        if (left-- > 0) throw new TypeError('kafkajs takes this for the end')
        await onBatch(payload)
      })
      await using consumer = setting.consumer(link)
      await takeAllOf(await setting.publish(2, 0), consumer)
      expect(setting.warnings).to.deep.equal(['a consumer has ended; another takes its place'])
    })

    it('receives only as many tasks as it has room for, pauses, then receives the rest, each once', async () => {
      await setting.makeTopics(1)
      const link = setting.link()
      let received = 0
      wrapBatches(link, async (payload, onBatch) => {
        const resolveOffset = (offset: string): void => {
          received += 1
          payload.resolveOffset(offset)
        }
        await onBatch({ ...payload, resolveOffset })
      })
      await using consumer = setting.consumer(link, { maxWaitingPerLane: 10 })
      const jobs = await setting.publish(95, 0)
      await until('the lane is full', () => received >= 10)
      await sleep(1000)
      expect(received).to.equal(10)
      expect(await take(consumer, 95)).to.deep.equal(jobs)
      const [last] = await setting.publish(1, 0)
      expect(await take(consumer, 1)).to.deep.equal([last])
    })

    it('receives thousands of tasks a second if they are taken at once, even with little room', async () => {
      await setting.makeTopics(1)
      await using consumer = setting.consumer(setting.link(), { maxWaitingPerLane: 20 })
      const jobs = await setting.publish(4000, 0)
      await take(consumer, 1)
      const from = Date.now()
      await take(consumer, jobs.length - 1)
      // Paused for a fetch after every 20, it would take a minute and a half.
      expect(Date.now() - from).to.be.below(40_000)
    })

    it('sets aside a message that is not a task, with the reason, and continues', async () => {
      await setting.makeTopics(1)
      await using consumer = setting.consumer(setting.link())
      await setting.publishValues(0, '{"jobId"', JSON.stringify(someTask({ lane: 'priority' })))
      const jobs = await setting.publish(1, 0)
      expect(await take(consumer, 1)).to.deep.equal(jobs)
      expect(setting.setAside).to.have.length(2)
      expect(setting.setAside[0]).to.equal('{"jobId": the message is not JSON')
      expect(setting.setAside[1]).to.match(/: the message is a priority task of fetch, among standard tasks of fetch$/)
    })

    it('gives its partitions to the others at once when it is closed', async () => {
      await setting.makeTopics(4)
      await using stays = setting.consumer(setting.link())
      const leaves = setting.consumer(setting.link())
      await takeFromBoth(setting, stays, leaves)
      await leaves[Symbol.asyncDispose]()
      const from = Date.now()
      await takeAllOf((await Promise.all([0, 1, 2, 3].map((partition) => setting.publish(1, partition)))).flat(), stays)
      expect(Date.now() - from, 'sooner than a member that is merely gone').to.be.below(SESSION_TIMEOUT_MS)
    })

    it('waits if there are more workers than partitions, and takes over when another leaves', async () => {
      await setting.makeTopics(2)
      await using end = new AsyncDisposableStack()
      const assigned = [-1, -1, -1]
      const consumers = assigned.map((_, index) => {
        const link = setting.link()
        hook(link, (made) =>
          made.on(made.events.GROUP_JOIN, ({ payload }) => {
            assigned[index] = payload.memberAssignment[setting.topic]?.length ?? 0
          }),
        )
        return end.use(setting.consumer(link))
      })
      await until('two have a partition each', () => assigned.toSorted().join() === '0,1,1')
      const publish = async () => (await Promise.all([0, 1].map((partition) => setting.publish(10, partition)))).flat()
      const first = await publish()
      const taken = await takeAllOf(first, ...consumers)
      const [leaves, spare] = [assigned.indexOf(1), assigned.indexOf(0)]
      expect(taken[spare]?.size).to.equal(0)
      await consumers[leaves]?.[Symbol.asyncDispose]()
      await until('the spare one has a partition', () => assigned[spare] === 1)
      const stay = consumers.filter((_, index) => index !== leaves)
      const second = await publish()
      const after = await takeAllOf(second, ...stay)
      expect(after[stay.indexOf(consumers[spare] as StepConsumer)]?.size).to.be.at.least(10)
    })

    it('loses its partitions to the others a session timeout after its connections were cut', async () => {
      await setting.makeTopics(4)
      await using stays = setting.consumer(setting.link())
      const link = setting.link()
      const dies = setting.consumer(link)
      await takeFromBoth(setting, stays, dies)
      link.end()
      await takeAllOf((await Promise.all([0, 1, 2, 3].map((partition) => setting.publish(1, partition)))).flat(), stays)
      await dies[Symbol.asyncDispose]()
    })

    it('recognizes, after a rebalance, tasks that it already holds or has acknowledged', async () => {
      // The member that gets the only partition is random; the test needs the case in which it stays.
      for (let kept = false; !kept; ) {
        await using fresh = new Setting(url)
        await fresh.makeTopics(1)
        const link = fresh.link()
        const assigned: (readonly number[])[] = []
        hook(link, (made) =>
          made.on(made.events.GROUP_JOIN, ({ payload }) => assigned.push(payload.memberAssignment[fresh.topic] ?? [])),
        )
        await using consumer = fresh.consumer(link)
        const jobs = await fresh.publish(6, 0)
        const signal = soon()
        const inHand = []
        while (inHand.length < jobs.length) inHand.push(await consumer.take('standard', signal))
        for (const delivery of inHand.slice(3)) await delivery.acknowledge()
        const other = fresh.consumer(fresh.link())
        await until('the other has joined', () => assigned.length >= 2)
        kept = assigned[1]?.length === 1
        await other[Symbol.asyncDispose]()
        await until('the other has left', () => assigned.length >= 3)
        const marker = await fresh.publish(1, 0)
        if (kept) expect(await take(consumer, 1)).to.deep.equal(marker)
      }
    })

    it('uses almost no CPU while it is idle: no timer runs a thousand times a second', async () => {
      await setting.makeTopics(8)
      await using consumer = setting.consumer(setting.link())
      await take(consumer, (await setting.publish(1, 0)).length)
      let timers = 0
      const original = globalThis.setTimeout
      globalThis.setTimeout = Object.assign((...words: Parameters<typeof original>) => {
        timers += 1
        return original(...words)
      }, original)
      await sleep(3000)
      globalThis.setTimeout = original
      expect(timers).to.be.below(300)
    })
  })
})

/** Publishes until both consumers have received something: then both are members. */
async function takeFromBoth(setting: Setting, ...consumers: StepConsumer[]): Promise<void> {
  const done = new AbortController()
  const receiving = consumers.map(async (consumer) => {
    const delivery = await consumer.take('standard', soon())
    await delivery.acknowledge()
  })
  const publishing = (async () => {
    while (!done.signal.aborted) {
      for (const partition of [0, 1, 2, 3]) await setting.publish(1, partition)
      await sleep(100)
    }
  })()
  await Promise.all(receiving)
  done.abort()
  await publishing
  for (const consumer of consumers) await drain(consumer)
}

async function drain(consumer: StepConsumer): Promise<void> {
  try {
    for (;;) await (await consumer.take('standard', AbortSignal.timeout(700))).acknowledge()
  } catch {
    // No more tasks arrive.
  }
}
