/**
 * Types of the packed client, as a customer's compiler sees them. It is compiled outside of the project (`packed.ts`).
 */
import { type TranscriptResult, VideoIntelligence, VideoIntelligenceError, verifyWebhook } from 'video-intelligence'

const client = new VideoIntelligence({ baseUrl: 'https://api.example.com', apiKey: 'ma_key' })

export async function texts(url: string): Promise<string[]> {
  const { segments }: TranscriptResult = await client.transcripts.run({ url, mode: 'auto', lang: 'en', reuse: true })
  const batch = await client.batches.run(
    { operation: 'transcript', requests: [url] },
    { onProgress: ({ counts }) => console.log(counts.completed) },
  )
  for await (const { result } of client.batches.results<TranscriptResult>(batch.batchId)) console.log(result?.text)
  for await (const { type, at } of client.follow('job')) console.log(type, at)
  return segments.map(({ text }) => text)
}

export async function receive(body: string, headers: Headers): Promise<string> {
  try {
    const message = await verifyWebhook(body, headers, 'whsec_b25l')
    return message.type === 'job.completed' ? message.data.jobId : message.type
  } catch (error) {
    return error instanceof VideoIntelligenceError ? error.code : 'unknown'
  }
}

// @ts-expect-error a field that does not exist must not compile
void client.transcripts.run({ urll: 'https://youtu.be/jNQXAC9IVRw' })
// @ts-expect-error nor must an extraction without its URL
void client.extractions.run({ prompt: 'Who speaks?' })
