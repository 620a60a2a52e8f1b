/** The same jobs on BullMQ as flows: each step is the child of the next, and all three are enqueued at once. */
import { FlowProducer } from 'bullmq'
import { jobData as data, noop, serveBullmq } from './bullmq.ts'

serveBullmq(async (connection, end) => {
  const flows = new FlowProducer({ connection })
  end.defer(() => flows.close())
  await flows.waitUntilReady()
  const fetch = { name: 'fetch', queueName: 'fetch', data }
  const caption = { name: 'caption', queueName: 'caption', data, children: [fetch] }
  const speech = { name: 'speech-to-text', queueName: 'speech-to-text', data, children: [caption] }
  return { processor: () => noop, add: () => flows.add(speech) }
})
