import { resultTypes } from '#packages/domain/job/events.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { sha256 } from '#packages/ports/ids.ts'
import type { Application } from '../record.ts'
import { type Check, requestOf } from './history.ts'

/** Invariant 7, in the streams of jobs: whatever comes twice, late or after a crash changes nothing. */
export const claimsAreFenced: Check = ({ jobs, world }) => {
  const problems: string[] = []
  for (const [jobId, job] of jobs) problems.push(...brokenClaims(job).map((what) => `${jobId}: ${what}`))
  for (const [attempt, times] of world.record.worked)
    if (times > 1) problems.push(`attempt ${attempt} was worked on ${times} times`)
  for (const letter of world.record.deadLetters) problems.push(`a task became a dead letter: ${letter}`)
  return problems
}

const results: readonly string[] = resultTypes

/** Each event of a worker directly follows its own claim, or another event of its own. */
function brokenClaims(job: readonly StoredEvent[]): string[] {
  const problems: string[] = []
  const seen = new Set<string>()
  const attempts = new Map<string, number>()
  let holder: string | undefined
  for (const { type, data, metadata } of job) {
    const [, , step, attempt] = metadata.causationId.split('/')
    const writer = `${step}/${attempt}`
    if (type === 'StepStarted') {
      const last = attempts.get(data.step) ?? 0
      if (data.attempt !== last + 1) problems.push(`${data.step} is started as ${data.attempt} after ${last}`)
      attempts.set(data.step, data.attempt)
      holder = `${data.step}/${data.attempt}`
      continue
    }
    const released = type === 'StepFailed' && data.code === 'released'
    const byWorker = type === 'LeaseExtended' || (type === 'StepFailed' && !released) || results.includes(type)
    if (byWorker && writer !== holder) problems.push(`${type} of ${writer} while ${holder ?? 'nobody'} holds the claim`)
    if (results.includes(type) && seen.has(type)) problems.push(`${type} stands there twice`)
    seen.add(type)
    if (type === 'StepFailed' || results.includes(type)) holder = undefined
  }
  return problems
}

/** How long an Idempotency-Key is valid, milliseconds. */
const KEY_VALID_MS = 24 * 60 * 60 * 1000

/**
 * Invariant 7, at the ingress: for a day one Idempotency-Key makes one job, and a repeated request is answered with it;
 * later the key makes another.
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
  { answer, orgId, request, idempotencyKey, askedAt }: Application,
  byKey: Map<string, Taken[]>,
  maxSkewMs: number,
): string | undefined {
  if (answer === undefined || idempotencyKey === undefined || !('jobId' in answer)) return undefined
  const all = byKey.get(`${orgId} ${sha256(idempotencyKey)}`) ?? []
  const job = all.find(({ jobId }) => jobId === answer.jobId)
  if (job === undefined)
    return `the key ${idempotencyKey} was answered with ${answer.jobId}, not ${all.map(({ jobId }) => jobId)}`
  if (job.request.data.lang !== request.lang) return `another request than that of ${answer.jobId} was answered with it`
  if (askedAt - job.request.recordedAt > KEY_VALID_MS + maxSkewMs)
    return `the key ${idempotencyKey} was answered with ${answer.jobId}, which is too old`
  return undefined
}
