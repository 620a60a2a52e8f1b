import type { VideoIntelligence } from '#packages/client/client.ts'
import type { JobKind, Jobs } from '#packages/client/jobs.ts'
import { findJob } from './call-key.ts'
import type { Turn } from './turn.ts'

type Call<R> = { kind: JobKind; jobs: Jobs<R>; body: object }

/**
 * Brings the result of a job: of the one that runs or was completed within the hour, else of a new one.
 * @throws VideoIntelligenceError
 */
export async function resultOf<R>(
  client: VideoIntelligence,
  { kind, jobs, body }: Call<R>,
  turn: Turn,
): Promise<{ jobId: string; result: R }> {
  const { signal, tell } = turn
  tell('looking for an earlier run of this call')
  const standing = await findJob(client, { kind, body, signal, now: Date.now() })
  const isNew = 'freeKey' in standing
  const jobId = isNew ? await jobs.request(body, { idempotencyKey: standing.freeKey, signal }) : standing.jobId
  turn.jobId = jobId
  tell(isNew ? `job ${jobId} was taken on` : `job ${jobId} is ${standing.status}, nothing is charged for it again`)
  const since = Date.now()
  const onPoll = (): void => tell(`job ${jobId} is running, ${Math.round((Date.now() - since) / 1000)} s waited`)
  return { jobId, result: await jobs.wait(jobId, { signal, onPoll }) }
}
