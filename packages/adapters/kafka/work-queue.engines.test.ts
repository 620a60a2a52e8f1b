import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { type Admin, Kafka } from 'kafkajs'
import type { Step } from '#packages/domain/job/events.ts'
import { describeWorkQueue } from '#packages/ports/work-queue.contract.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { someTask } from '#test/doubles/engines/some-task.ts'
import { until } from '#test/doubles/service/until.ts'
import { openKafkaWorkQueue } from './work-queue.ts'

/** Longer than a group takes to form on a busy machine. */
const soon = (): AbortSignal => AbortSignal.timeout(45_000)

describeOn('kafka', (url) => {
  const brokers = url.split(',')
  const log = createLog('test', 'silent')

  describeWorkQueue('KafkaWorkQueue', async () => {
    const prefix = `test-${randomUUID()}`
    return {
      open: () => openKafkaWorkQueue({ brokers, log, partitions: 2, replication: 0, prefix }),
      async [Symbol.asyncDispose]() {},
    }
  })

  describe('KafkaWorkQueue', function () {
    this.timeout(120_000)
    const prefix = `test-${randomUUID()}`
    const topic = `${prefix}.fetch.standard`
    const setAside: Step[] = []
    const onDeadLetter = (step: Step): void => void setAside.push(step)
    const open = (partitions: number) =>
      openKafkaWorkQueue({ brokers, log, partitions, replication: 0, prefix, onDeadLetter })
    let admin: Admin
    before(async () => {
      admin = new Kafka({ brokers, logLevel: 0 }).admin()
      await admin.connect()
    })
    after(() => admin.disconnect())
    const ends = async (): Promise<number[]> =>
      (await admin.fetchTopicOffsets(topic)).sort((a, b) => a.partition - b.partition).map(({ high }) => Number(high))

    it('creates topics for each step and lane, dead letters and owners, partitioned as configured', async () => {
      await using _queue = await open(3)
      const { topics } = await admin.fetchTopicMetadata()
      const mine = topics.filter(({ name }) => name.startsWith(`${prefix}.`))
      const steps = ['caption', 'extract', 'fetch', 'speech-to-text']
      const names = steps.flatMap((step) => ['bulk', 'priority', 'standard'].map((lane) => `${prefix}.${step}.${lane}`))
      const others = [`${prefix}.dead-letter`, `${prefix}.owner`]
      expect(mine.map(({ name }) => name).sort()).to.deep.equal([...names, ...others].sort())
      const { brokers: there } = await admin.describeCluster()
      for (const { name, partitions } of mine) {
        const count = others.includes(name) ? 1 : 3
        expect(partitions, name).to.have.length(count)
        for (const { replicas } of partitions) expect(replicas).to.have.length(Math.min(3, there.length))
      }
    })

    it('keeps existing topics as they are, and adds missing partitions', async () => {
      await using queue = await open(3)
      await queue.publish(someTask())
      await using _more = await open(5)
      expect(await ends()).to.have.length(5)
      // A publication that was not answered in time is sent again.
      expect((await ends()).reduce((sum, end) => sum + end)).to.be.at.least(1)
    })

    it('publishes to and receives from partitions that another process added, without a restart', async () => {
      const own = { brokers, log, replication: 0, prefix: `test-${randomUUID()}`, lookEveryMs: 500 }
      await using queue = await openKafkaWorkQueue({ ...own, partitions: 1 })
      await using consumer = queue.consume('fetch')
      const missing = new Set<string>()
      const publish = async () => {
        const task = someTask()
        await queue.publish(task)
        missing.add(task.jobId)
      }
      // Some tasks arrive twice, because added partitions make the group rebalance.
      const takeUntilAll = async () => {
        while (missing.size > 0) {
          const delivery = await consumer.take('standard', soon())
          await delivery.acknowledge()
          missing.delete(delivery.task.jobId)
        }
      }
      await publish()
      await takeUntilAll()
      await using _restarted = await openKafkaWorkQueue({ ...own, partitions: 3 })
      await until('each partition has tasks', async () => {
        await publish()
        const offsets = await admin.fetchTopicOffsets(`${own.prefix}.fetch.standard`)
        return offsets.length === 3 && offsets.every(({ high }) => Number(high) > 0)
      })
      await takeUntilAll()
    })

    it('spreads publications over the partitions, without keys, and repeats them on another', async () => {
      await using queue = await open(5)
      const before = await ends()
      for (let n = 0; n < 20; n++) await queue.publish(someTask())
      // At least once: a publication that was not answered in time is sent again.
      for (const [n, end] of (await ends()).entries()) expect(end - (before[n] ?? 0), `${n}`).to.be.at.least(4)
      const task = someTask()
      const partitionOf = async (): Promise<number> => {
        const from = await ends()
        await queue.publish(task)
        return (await ends()).findIndex((end, n) => end > (from[n] ?? 0))
      }
      const first = await partitionOf()
      for (let n = 0; n < 4; n++) await queue.publish(someTask())
      expect(await partitionOf()).to.not.equal(first)
    })

    it('delivers within milliseconds', async () => {
      await using queue = await open(3)
      await using consumer = queue.consume('caption')
      const times: number[] = []
      for (let n = 0; n < 20; n++) {
        const from = performance.now()
        await queue.publish(someTask({ step: 'caption' }))
        await (await consumer.take('standard', soon())).acknowledge()
        times.push(performance.now() - from)
      }
      // The first ones wait for the group to form, and some for a busy machine. If the others waited for the next
      // fetch, each would take half a second.
      expect(times.sort((a, b) => a - b)[2]).to.be.below(250)
    })

    it('repeats the traceparent of a task in the header of its message', async () => {
      await using queue = await open(3)
      const task = someTask()
      await queue.publish(task)
      const consumer = new Kafka({ brokers, logLevel: 0 }).consumer({ groupId: randomUUID() })
      await consumer.connect()
      await consumer.subscribe({ topic, fromBeginning: true })
      const header = await new Promise((resolve) => {
        void consumer.run({
          eachMessage: async ({ message: { value, headers } }) => {
            if (value?.toString().includes(task.jobId)) resolve(headers?.traceparent?.toString())
          },
        })
      })
      await consumer.disconnect()
      expect(header).to.equal(task.traceparent)
    })

    it('keeps a message that is not a task as a dead letter, and replays it to its topic unchanged', async () => {
      await using queue = await open(3)
      await using consumer = queue.consume('fetch')
      const producer = new Kafka({ brokers, logLevel: 0 }).producer()
      await producer.connect()
      await producer.send({ topic, messages: [{ value: '{"from": "a later version"}' }] })
      await producer.disconnect()
      const marker = someTask()
      await queue.publish(marker)
      const letterBeside = (known = '') =>
        until('it is set aside', async () => (await queue.listDeadLetters()).find(({ id }) => id !== known))
      for (let job = ''; job !== marker.jobId; ) {
        const delivery = await consumer.take('standard', soon())
        await delivery.acknowledge()
        job = delivery.task.jobId
      }
      const letter = await letterBeside()
      expect(letter.message).to.equal('{"from": "a later version"}')
      expect(letter.reason).to.match(/^the message is not a task: .*required property/)
      expect(new Set(setAside)).to.deep.equal(new Set(['fetch']))
      await queue.replayDeadLetter(letter.id)
      // The message is refused again, and becomes a new dead letter.
      expect((await letterBeside(letter.id)).message).to.equal(letter.message)
      expect((await queue.listDeadLetters()).map(({ id }) => id)).to.not.include(letter.id)
    })

    it('closes within seconds while it is idle', async () => {
      const queue = await open(3)
      for (const step of ['fetch', 'caption'] as const) queue.consume(step)
      await queue.publish(someTask())
      const from = Date.now()
      await queue[Symbol.asyncDispose]()
      expect(Date.now() - from).to.be.below(10_000)
    })
  })
})
