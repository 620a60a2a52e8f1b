import { type ConnectionOptions, type Processor, Worker } from 'bullmq'
import { allOf, Countdown } from '../kit/all-of.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { VIDEO_URL } from '../service/noop-steps.ts'
import { startRedis } from './redis.ts'
import type { Contest, Opening } from './rival.ts'

/** The queues of the three steps, in order. */
export const steps = ['fetch', 'caption', 'speech-to-text'] as const
export type Step = (typeof steps)[number]

export const jobData = { url: VIDEO_URL, mode: 'auto' }

/** How a job of three steps is built from BullMQ's parts. */
export type Way = {
  /** The work on a step of a job from its queue. */
  processor(step: Step): Processor
  /** Enqueues one job of three steps. */
  add(): Promise<unknown>
}

export const noop: Processor = async () => {}

/** Serves the calls of the bench: BullMQ's workers, one for each step, on a Redis that syncs every write. */
export function serveBullmq(open: (connection: ConnectionOptions, end: AsyncDisposableStack) => Promise<Way>): void {
  const end = new AsyncDisposableStack()
  const completed = new Countdown()
  let way: Way

  async function start({ directory, slots }: Opening): Promise<void> {
    const redis = end.use(await startRedis(directory))
    const connection = { path: redis.socket, maxRetriesPerRequest: null }
    way = await open(connection, end)
    const options = { connection, concurrency: slots }
    const workers = steps.map((step) => new Worker(step, way.processor(step), options))
    for (const worker of workers) end.defer(() => worker.close())
    workers.at(-1)?.on('completed', () => completed.one())
    await Promise.all(workers.map((worker) => worker.waitUntilReady()))
  }

  async function run({ jobs, addsAtOnce }: Contest): Promise<{ seconds: number }> {
    const from = performance.now()
    const done = completed.from(jobs)
    await allOf(jobs, addsAtOnce, () => way.add())
    await done
    return { seconds: (performance.now() - from) / 1000 }
  }

  serveCalls({ open: start, run }, () => end.disposeAsync())
}
