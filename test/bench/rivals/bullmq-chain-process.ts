/** The same jobs on BullMQ as chains: the worker of each step enqueues the next step. */
import { Queue } from 'bullmq'
import { jobData, noop, type Step, serveBullmq } from './bullmq.ts'

serveBullmq(async (connection, end) => {
  const queueOf = async (step: Step): Promise<Queue> => {
    const queue = new Queue(step, { connection })
    end.defer(() => queue.close())
    await queue.waitUntilReady()
    return queue
  }
  const [fetch, caption, speech] = [await queueOf('fetch'), await queueOf('caption'), await queueOf('speech-to-text')]
  const next: Partial<Record<Step, Queue>> = { fetch: caption, caption: speech }
  return {
    processor(step) {
      const queue = next[step]
      return queue === undefined ? noop : async ({ data }) => void (await queue.add(queue.name, data))
    },
    add: () => fetch.add('fetch', jobData),
  }
})
