import { expect } from 'chai'
import type { StepTask } from '#contracts/generated/messages.ts'
import type { Lane, Step } from '#packages/domain/job/events.ts'
import { someTask } from '#test/doubles/engines/some-task.ts'
import {
  type DeadLetters,
  type Delivery,
  type TaskConsumer,
  UnknownDeadLetterError,
  type WorkQueue,
} from './work-queue.ts'

export type WorkQueueFixture = AsyncDisposable & { open(): Promise<WorkQueue & DeadLetters> }

/** How long to wait for what should happen soon, milliseconds. Generous, because the queue may be a server. */
const patienceMs = 45_000

const task = (step: Step, lane: Lane = 'standard') => someTask({ step, lane })

const tasks = (count: number, step: Step, lane?: Lane): StepTask[] =>
  Array.from({ length: count }, () => task(step, lane))

const jobsOf = (list: readonly StepTask[]): string[] => list.map(({ jobId }) => jobId)

/**
 * Checks the promises of WorkQueue. Tasks of earlier tests and runs may still be there, and a task may be delivered
 * twice. Every test recognizes its own tasks by their job ids.
 */
export function describeWorkQueue(name: string, makeFixture: () => Promise<WorkQueueFixture>): void {
  describe(`${name} keeps the promises of WorkQueue`, function () {
    this.timeout(120_000)
    let fixture: WorkQueueFixture
    let queue: WorkQueue & DeadLetters
    const consumers: TaskConsumer[] = []
    const consume = (step: Step): TaskConsumer => {
      const consumer = queue.consume(step)
      consumers.push(consumer)
      return consumer
    }
    const publish = async (list: readonly StepTask[]): Promise<void> => {
      for (const each of list) await queue.publish(each)
    }
    const soon = (): AbortSignal => AbortSignal.timeout(patienceMs)

    /** Takes and acknowledges tasks until each of these jobs was seen. Returns all tasks taken. */
    const takeAll = async (consumer: TaskConsumer, wanted: readonly string[], first: Lane = 'priority') => {
      const missing = new Set(wanted)
      const taken: StepTask[] = []
      const signal = soon()
      while (missing.size > 0) {
        const delivery = await consumer.take(first, signal)
        await delivery.acknowledge()
        missing.delete(delivery.task.jobId)
        taken.push(delivery.task)
      }
      return taken
    }

    before(async () => {
      fixture = await makeFixture()
      queue = await fixture.open()
    })
    afterEach(async () => {
      for (const consumer of consumers.splice(0)) await consumer[Symbol.asyncDispose]()
    })
    after(async () => {
      await queue[Symbol.asyncDispose]()
      await fixture[Symbol.asyncDispose]()
    })

    it('reports the slots of all consumers of a step while they exist', async () => {
      const until = async (sum: number): Promise<void> => {
        const giveUp = soon()
        for (let reported: number | undefined; reported !== sum; reported = (await queue.slots()).extract)
          if (giveUp.aborted) expect.fail(`${reported} slots are reported, not ${sum}`)
      }
      const [first, second] = [queue.consume('extract', 3), queue.consume('extract', 5)]
      await until(8)
      await second[Symbol.asyncDispose]()
      await until(3)
      await first[Symbol.asyncDispose]()
      await until(0)
    })

    it('delivers a task as it was published, even if there was no consumer yet', async () => {
      const early = task('fetch')
      await queue.publish(early)
      const taken = await takeAll(consume('fetch'), [early.jobId])
      expect(taken.find(({ jobId }) => jobId === early.jobId)).to.deep.equal(early)
    })

    it('delivers only to consumers of its step', async () => {
      const mine = tasks(5, 'caption')
      const others = tasks(5, 'fetch')
      await publish(others.flatMap((other, n) => [other, ...mine.slice(n, n + 1)]))
      const taken = await takeAll(consume('caption'), jobsOf(mine))
      expect(new Set(taken.map(({ step }) => step))).to.deep.equal(new Set(['caption']))
      expect(new Set((await takeAll(consume('fetch'), jobsOf(others))).map(({ step }) => step))).to.deep.equal(
        new Set(['fetch']),
      )
    })

    for (const [first, other] of [
      ['priority', 'standard'],
      ['standard', 'priority'],
    ] as const) {
      it(`gives ${other} tasks to a taker who asks for ${first} first, if there are no others`, async () => {
        const only = tasks(4, 'extract', other)
        await publish(only)
        await takeAll(consume('extract'), jobsOf(only), first)
      })
    }

    // A server may deliver a lane so late that the consumer briefly has no task of it. Then the test is retried.
    it('gives tasks of the requested lane first while it has any', async () => {
      const lanes = {
        standard: tasks(40, 'speech-to-text', 'standard'),
        priority: tasks(40, 'speech-to-text', 'priority'),
      }
      // Publishes before there is a consumer, so that it receives many tasks of a lane at once.
      await publish([...lanes.standard, ...lanes.priority])
      const consumer = consume('speech-to-text')
      // Once a task of each lane has arrived, both lanes deliver.
      const seen = new Set<Lane>()
      for (const lane of ['standard', 'priority'] as const) {
        while (!seen.has(lane)) {
          const delivery = await consumer.take(lane, soon())
          await delivery.acknowledge()
          seen.add(delivery.task.lane)
        }
      }
      for (const lane of ['priority', 'standard', 'priority', 'standard'] as const) {
        for (let n = 0; n < 5; n++) {
          const delivery = await consumer.take(lane, soon())
          await delivery.acknowledge()
          expect(delivery.task.lane).to.equal(lane)
        }
      }
    }).retries(2)

    it('gives each of several overlapping calls its own task', async () => {
      const consumer = consume('caption')
      const wanted = tasks(6, 'caption')
      const signal = soon()
      const taking = wanted.map(() => consumer.take('standard', signal))
      await publish(wanted)
      const deliveries = await Promise.all(taking)
      for (const delivery of deliveries) await delivery.acknowledge()
      const jobs = deliveries.map((delivery) => delivery.task.jobId)
      const missing = jobsOf(wanted).filter((job) => !jobs.includes(job))
      await takeAll(consumer, missing)
      expect(jobs.filter((job) => jobsOf(wanted).includes(job))).to.have.length(6 - missing.length)
    })

    it('shares the tasks of a step between its consumers, and loses none', async () => {
      const missing = new Set<string>()
      const both = [consume('fetch'), consume('fetch')]
      const wanted = tasks(40, 'fetch')
      for (const job of jobsOf(wanted)) missing.add(job)
      const done = new AbortController()
      const signal = AbortSignal.any([done.signal, soon()])
      const work = async (consumer: TaskConsumer): Promise<void> => {
        while (missing.size > 0) {
          const delivery = await consumer.take('standard', signal)
          await delivery.acknowledge()
          missing.delete(delivery.task.jobId)
        }
        done.abort()
      }
      const working = Promise.allSettled(both.map(work))
      await publish(wanted)
      await working
      expect([...missing]).to.deep.equal([])
    })

    it('does not redeliver what its only consumer acknowledged or rejected', async () => {
      const consumer = consume('extract')
      const wanted = tasks(10, 'extract')
      await publish(wanted)
      const settled = new Set<string>()
      const signal = soon()
      while (!jobsOf(wanted).every((job) => settled.has(job))) {
        const delivery: Delivery = await consumer.take('standard', signal)
        const { jobId } = delivery.task
        if (wanted.findIndex((each) => each.jobId === jobId) % 2 === 1) await delivery.reject('it cannot be handled')
        else await delivery.acknowledge()
        expect(settled.has(jobId)).to.equal(false)
        settled.add(jobId)
      }
      const marker = task('extract')
      await queue.publish(marker)
      const later = await takeAll(consumer, [marker.jobId])
      expect(jobsOf(later).filter((job) => settled.has(job))).to.deep.equal([])
    })

    it('lists rejected tasks with their reasons, and redelivers them when they are replayed', async () => {
      const consumer = consume('caption')
      const bad = task('caption', 'priority')
      await queue.publish(bad)
      const signal = soon()
      for (let rejected = false; !rejected; ) {
        const delivery = await consumer.take('priority', signal)
        rejected = delivery.task.jobId === bad.jobId
        await (rejected ? delivery.reject('it cannot be handled') : delivery.acknowledge())
      }
      const ofMine = async () => (await queue.listDeadLetters()).filter(({ message }) => message.includes(bad.jobId))
      const letters = await ofMine()
      expect(letters.map(({ reason, message }) => [reason, JSON.parse(message)])).to.deep.equal([
        ['it cannot be handled', bad],
      ])
      const id = letters[0]?.id ?? ''
      await queue.replayDeadLetter(id)
      const taken = await takeAll(consumer, [bad.jobId])
      expect(taken.find(({ jobId }) => jobId === bad.jobId)).to.deep.equal(bad)
      expect(await ofMine()).to.deep.equal([])
      const error = await queue.replayDeadLetter(id).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(UnknownDeadLetterError)
    })

    it('throws the reason of a signal that is aborted before the call, or while it waits', async () => {
      const consumer = consume('speech-to-text')
      const reason = new Error('the service stops')
      const reasonOf = (taking: Promise<unknown>): Promise<unknown> => taking.catch((error: unknown) => error)
      expect(await reasonOf(consumer.take('standard', AbortSignal.abort(reason)))).to.equal(reason)
      const controller = new AbortController()
      const signal = AbortSignal.any([controller.signal, soon()])
      // Takes the tasks that earlier tests left behind. The call that finds none is the one that waits.
      const emptying = (async () => {
        for (;;) await (await consumer.take('standard', signal)).acknowledge()
      })()
      setImmediate(() => controller.abort(reason))
      expect(await reasonOf(emptying)).to.equal(reason)
    })

    it('keeps a task from an aborted call for the next', async () => {
      const consumer = consume('fetch')
      const controller = new AbortController()
      const aborted = consumer.take('standard', controller.signal).catch((error: unknown) => error)
      controller.abort(new Error('no longer'))
      const left = await aborted
      expect(left).to.satisfy((value: unknown) => value instanceof Error || (value as Delivery).task !== undefined)
      const wanted = task('fetch')
      await queue.publish(wanted)
      await takeAll(consumer, [wanted.jobId])
    })
  })
}
