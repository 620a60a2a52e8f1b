import { sha256 } from '#packages/ports/ids.ts'
import type { Application } from '../record.ts'
import { type Check, requestOf } from './history.ts'

/** Invariant 7, in addition to what the history shows: no attempt is worked on twice, and no task is set aside. */
export const attemptsAreMadeOnce: Check = ({ world: { record } }) => [
  ...[...record.worked].flatMap(([attempt, times]) =>
    times > 1 ? [`attempt ${attempt} was worked on ${times} times`] : [],
  ),
  ...record.deadLetters.map((letter) => `a task became a dead letter: ${letter}`),
]

/** How long an Idempotency-Key is valid, milliseconds. */
const KEY_VALID_MS = 24 * 60 * 60 * 1000

/**
 * Invariant 7, at the ingress: for a day one Idempotency-Key makes one job, and a repeated request is answered with it.
 * Later the key makes another.
 */
export const keysAreOneJob: Check = ({ jobs, world }) => {
  const problems: string[] = []
  const taken = [...jobs].flatMap(([jobId, job]) => {
    const request = requestOf(job)
    return request?.data.idempotencyKeyHash ? [{ jobId, request }] : []
  })
  const { maxSkewMs } = world.settings
  const byKey = Map.groupBy(taken, ({ request }) => `${request.data.orgId} ${request.data.idempotencyKeyHash}`)
  for (const [key, all] of byKey) {
    const times = all.map(({ request }) => request.recordedAt).sort((one, other) => one - other)
    const tooSoon = times.some(
      (at, index) => at - (times[index - 1] ?? Number.NEGATIVE_INFINITY) < KEY_VALID_MS - maxSkewMs,
    )
    if (tooSoon) problems.push(`${all.length} jobs stand under the key ${key}`)
  }
  for (const application of world.record.applications) {
    const problem = wrongAnswer(application, byKey, maxSkewMs)
    if (problem !== undefined) problems.push(problem)
  }
  return problems
}

type Taken = { jobId: string; request: NonNullable<ReturnType<typeof requestOf>> }

function wrongAnswer(
  { answer, orgId, request, terms, idempotencyKey, askedAt }: Application,
  byKey: Map<string, Taken[]>,
  maxSkewMs: number,
): string | undefined {
  if (answer === undefined || idempotencyKey === undefined || !('jobId' in answer)) return undefined
  const all = byKey.get(`${orgId} ${sha256(idempotencyKey)}`) ?? []
  const job = all.find(({ jobId }) => jobId === answer.jobId)
  if (job === undefined)
    return `the key ${idempotencyKey} was answered with ${answer.jobId}, not ${all.map(({ jobId }) => jobId)}`
  const { lang, reuse } = job.request.data
  if (lang !== request.lang || reuse !== terms.reuse)
    return `another request than that of ${answer.jobId} was answered with it`
  if (askedAt - job.request.recordedAt > KEY_VALID_MS + maxSkewMs)
    return `the key ${idempotencyKey} was answered with ${answer.jobId}, which is too old`
  return undefined
}
