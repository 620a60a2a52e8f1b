import type { VideoIntelligence } from '#packages/client/client.ts'
import type { JobKind, Jobs } from '#packages/client/jobs.ts'
import { findJob } from './call-key.ts'
import type { Turn } from './turn.ts'

/** `jobId`: the job whose result the caller asks for, where it names one. */
type Call<R> = { kind: JobKind; jobs: Jobs<object, R>; body: object; jobId: string | undefined }

/**
 * Returns the result of a job: the one that the caller names, else the one that runs or was completed within the hour,
 * else a new one.
 * @throws VideoIntelligenceError
 */
export async function resultOf<R>(
  client: VideoIntelligence,
  call: Call<R>,
  turn: Turn,
): Promise<{ jobId: string; result: R }> {
  const { signal, tell, onWait } = turn
  const jobId = call.jobId ?? (await askedFor(client, call, turn))
  turn.jobId = jobId
  const since = Date.now()
  const onPoll = (): void => tell(`job ${jobId} is running, ${Math.round((Date.now() - since) / 1000)} s waited`)
  onWait(true)
  try {
    return { jobId, result: await call.jobs.wait(jobId, { signal, onPoll }) }
  } finally {
    onWait(false)
  }
}

/** Finds the job of a call with this body, or requests it. */
async function askedFor<R>(client: VideoIntelligence, { kind, jobs, body }: Call<R>, turn: Turn): Promise<string> {
  const { signal, tell } = turn
  tell('looking for an earlier run of this call')
  const standing = await findJob(client, { kind, body, signal, now: Date.now() })
  if ('jobId' in standing) {
    tell(`job ${standing.jobId} is ${standing.status}, nothing is charged for it again`)
    return standing.jobId
  }
  const jobId = await jobs.request(body, { idempotencyKey: standing.freeKey, signal })
  tell(`job ${jobId} was taken on`)
  return jobId
}
