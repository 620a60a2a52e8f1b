import type { ListedJob } from '#contracts/generated/http.ts'
import type { VideoIntelligence } from '#packages/client/client.ts'
import type { JobKind } from '#packages/client/jobs.ts'
import { sha256 } from '#packages/ports/ids.ts'

/** How long a repeated call gets a completed job's result, milliseconds. */
const FRESH_MS = 60 * 60 * 1000

/** JSON that is the same for equal values: the keys of objects are sorted. */
const canonicalJson = (body: object): string =>
  JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )

/** The job of a call, or the idempotency key for a new one. */
export type Standing = { jobId: string; status: 'queued' | 'completed' } | { freeKey: string }

type Call = { kind: JobKind; body: object; signal: AbortSignal; now: number }

/**
 * Finds the job of a call with this path and body: one that is running, or that was completed within the hour.
 *
 * Each path and body has its own keys, counted from 0. The next key is used once the job under the last one has failed
 * or ended over an hour ago. So only the last used key can have such a job. An exponential and then a binary search
 * finds it in few requests, however often the call was made.
 */
export async function findJob(client: VideoIntelligence, { kind, body, signal, now }: Call): Promise<Standing> {
  const hash = sha256(`POST /v1/${kind} ${canonicalJson(body)}`)
  const keyOf = (counter: number): string => `mcp-${hash}-${counter}`
  const newestOf = async (counter: number): Promise<ListedJob | undefined> =>
    (await client.jobs({ idempotencyKey: keyOf(counter), limit: 1 }, { signal })).jobs[0]

  const first = await newestOf(0)
  if (first === undefined) return { freeKey: keyOf(0) }
  if (isGood(first, now)) return { jobId: first.jobId, status: first.status }
  let used = 0
  let unused = Number.POSITIVE_INFINITY
  while (unused - used > 1) {
    const counter = Number.isFinite(unused) ? Math.floor((used + unused) / 2) : 2 * used + 1
    const job = await newestOf(counter)
    if (job === undefined) unused = counter
    else if (isGood(job, now)) return { jobId: job.jobId, status: job.status }
    else used = counter
  }
  return { freeKey: keyOf(unused) }
}

function isGood(job: ListedJob, now: number): job is ListedJob & { status: 'queued' | 'completed' } {
  if (job.status === 'queued') return true
  return job.status === 'completed' && job.endedAt !== null && now - Date.parse(job.endedAt) <= FRESH_MS
}
