/** The same jobs on BullMQ: a flow of three, each step the child of the next, on a Redis that syncs every write. */
import { FlowProducer, Worker } from 'bullmq'
import { allOf, Countdown } from '../kit/all-of.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { VIDEO_URL } from '../service/noop-steps.ts'
import { startRedis } from './redis.ts'
import type { Contest, Opening } from './rival.ts'

const STEPS = ['fetch', 'caption', 'speech-to-text'] as const

const end = new AsyncDisposableStack()
const completed = new Countdown()
let flows: FlowProducer

async function open({ directory, slots }: Opening): Promise<void> {
  const redis = end.use(await startRedis(directory))
  const connection = { path: redis.socket, maxRetriesPerRequest: null }
  const workers = STEPS.map((step) => new Worker(step, async () => {}, { connection, concurrency: slots }))
  for (const worker of workers) end.defer(() => worker.close())
  workers.at(-1)?.on('completed', () => completed.one())
  await Promise.all(workers.map((worker) => worker.waitUntilReady()))
  flows = new FlowProducer({ connection })
  end.defer(() => flows.close())
  await flows.waitUntilReady()
}

async function run({ jobs, addsAtOnce }: Contest): Promise<{ seconds: number }> {
  const from = performance.now()
  const done = completed.from(jobs)
  const data = { url: VIDEO_URL, mode: 'auto' }
  const [fetch, caption, speech] = STEPS.map((step) => ({ name: step, queueName: step, data }))
  if (!fetch || !caption || !speech) throw new Error('a job has three steps')
  const flow = { ...speech, children: [{ ...caption, children: [fetch] }] }
  await allOf(jobs, addsAtOnce, () => flows.add(flow))
  await done
  return { seconds: (performance.now() - from) / 1000 }
}

serveCalls({ open, run }, () => end.disposeAsync())
