/** The same jobs on BullMQ as flows: each step is the child of the next, and all three are enqueued at once. */
import { FlowProducer, Worker } from 'bullmq'
import { allOf, Countdown } from '../kit/all-of.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { VIDEO_URL } from '../service/noop-steps.ts'
import { startRedis } from './redis.ts'
import type { Contest, Opening } from './rival.ts'

const data = { url: VIDEO_URL, mode: 'auto' }
const fetch = { name: 'fetch', queueName: 'fetch', data }
const caption = { name: 'caption', queueName: 'caption', data, children: [fetch] }
const speech = { name: 'speech-to-text', queueName: 'speech-to-text', data, children: [caption] }
const steps = [fetch, caption, speech]

const end = new AsyncDisposableStack()
const completed = new Countdown()
let flows: FlowProducer

/** BullMQ's workers, one for each step, on a Redis that syncs every write. */
async function open({ directory, slots }: Opening): Promise<void> {
  const redis = end.use(await startRedis(directory))
  const connection = { path: redis.socket, maxRetriesPerRequest: null }
  flows = new FlowProducer({ connection })
  end.defer(() => flows.close())
  await flows.waitUntilReady()
  const workers = steps.map(({ name }) => new Worker(name, async () => {}, { connection, concurrency: slots }))
  for (const worker of workers) end.defer(() => worker.close())
  workers.at(-1)?.on('completed', () => completed.one())
  await Promise.all(workers.map((worker) => worker.waitUntilReady()))
}

async function run({ jobs, addsAtOnce }: Contest): Promise<{ seconds: number }> {
  const from = performance.now()
  const done = completed.from(jobs)
  await allOf(jobs, addsAtOnce, () => flows.add(speech))
  await done
  return { seconds: (performance.now() - from) / 1000 }
}

serveCalls({ open, run }, () => end.disposeAsync())
