const WAIT_SECONDS = 30

type Word = { start: number; end: number; text: string }
type Polled = { status: string; error?: unknown; resultJson?: { words?: Word[] | null } | null }

export type Answered = { milliseconds: number; words: Word[] }

/**
 * Posts a job for a transcript and waits for its end, as a client does.
 * @returns milliseconds from the post to the result, and the transcript's words if the request wants them
 * @throws Error if the job was not accepted, or had no transcript
 */
export async function askTranscript(base: string, key: string, request: object): Promise<Answered> {
  const from = performance.now()
  const headers = { 'content-type': 'application/json', 'x-api-key': key, prefer: `wait=${WAIT_SECONDS}` }
  const posted = await fetch(`${base}/v1/transcript`, { method: 'POST', headers, body: JSON.stringify(request) })
  const { jobId, ...refusal } = (await posted.json()) as { jobId?: string }
  if (jobId === undefined) throw new Error(`answered ${posted.status} ${JSON.stringify(refusal)}`)
  for (;;) {
    const answer = await fetch(`${base}/v1/transcript/${jobId}`, { headers })
    const job = (await answer.json()) as Polled
    if (job.status === 'completed')
      return { milliseconds: performance.now() - from, words: job.resultJson?.words ?? [] }
    if (!answer.ok || job.status === 'failed') throw new Error(`came to ${answer.status} ${JSON.stringify(job)}`)
  }
}
