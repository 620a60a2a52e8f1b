import { streams } from '#packages/ports/ids.ts'
import { type Application, type Entrance, hinderedMs } from '../record.ts'
import { type Check, endOf, requestOf } from './history.ts'
import { expiryOf } from './limits.ts'

const ELSEWHERE_MS = 1000

const processOfNode = (node: string): string => node.split('/')[0] ?? node

/** Invariant 4: a key is never accepted after its revocation was answered: here at once, elsewhere within a second. */
export const revokedKeysAreRefused: Check = ({ world: { record } }) => {
  const problems: string[] = []
  for (const { keyId, node, answeredAt } of record.revocations)
    for (const entrance of record.entrances) {
      if (entrance.keyId !== keyId || !entrance.accepted || entrance.askedAt <= answeredAt) continue
      const held = hinderedMs(record.ofProcess(processOfNode(entrance.node)), answeredAt - 10_000, entrance.askedAt)
      const allowedMs = entrance.node === node ? 0 : ELSEWHERE_MS + held
      const lateMs = entrance.askedAt - answeredAt - allowedMs
      if (lateMs > 0) problems.push(`${entrance.node} accepted a key ${lateMs} ms too long after ${node} revoked it`)
    }
  return problems
}

/** A key is refused only if it was revoked, or has expired by some clock. */
export const goodKeysAreAccepted: Check = ({ events, organizations, world: { record, settings } }) => {
  const revoked = new Map(
    events.flatMap(({ type, stream, recordedAt }) => (type === 'KeyRevoked' ? [[stream.slice(4), recordedAt]] : [])),
  ) as Map<string, number>
  const hasExpired = ({ keyId, answeredAt }: Entrance): boolean =>
    (expiryOf(organizations, keyId) ?? Number.POSITIVE_INFINITY) <= answeredAt + settings.maxSkewMs
  return record.entrances
    .filter((entrance) => !entrance.accepted && !revoked.has(entrance.keyId) && !hasExpired(entrance))
    .map(({ keyId, node }) => `${node} refused the key ${keyId}, which was never revoked and has not expired`)
}

/** Until a job is this old, milliseconds, an ingress reads its end only from the view, which may be behind. */
const VIEW_ALONE_MS = 10_000

/** An ingress shows an unsettled end once it is this old, milliseconds. */
const SHOWN_UNSETTLED_AFTER_MS = 30_000

/**
 * Invariant 11: once an answer has shown the end of a job, no later answer says that it waits, even if the views are
 * lost. The same ingress never says so. Another may lag in two cases: by its own clock the job is still young, or it
 * must not show an unsettled end yet. Ingresses share no clock, so the first cannot wait for the last.
 */
export const noStateIsOlder: Check = ({ jobs, settlements, world: { record } }) => {
  const read = record.readings.map(({ seen, ...one }) => ({ ...one, status: seen?.details.status }))
  const polled = record.sightings.map(({ seen, ...one }) => ({ ...one, status: seen?.status }))
  const own = [...polled, ...read].filter((one) => one.own && one.status !== undefined)
  const ends = Map.groupBy(
    own.filter(({ status }) => status !== 'queued'),
    ({ jobId }) => jobId,
  )
  type OwnAnswer = (typeof own)[number]
  const mayLag = ({ jobId, askedAt, nodeTime }: OwnAnswer): boolean => {
    const job = jobs.get(jobId) ?? []
    const isYoung = nodeTime < (requestOf(job)?.recordedAt ?? Number.POSITIVE_INFINITY) + VIEW_ALONE_MS
    const isOpen = askedAt < (settlements.get(jobId)?.[0]?.recordedAt ?? Number.POSITIVE_INFINITY)
    const isHidden = isOpen && nodeTime < (endOf(job)?.recordedAt ?? 0) + SHOWN_UNSETTLED_AFTER_MS
    return isYoung || isHidden
  }
  const isOlder = (one: OwnAnswer): boolean => {
    const earlier = (ends.get(one.jobId) ?? []).filter((end) => end.answeredAt < one.askedAt)
    return one.status === 'queued' && earlier.some(({ node }) => node === one.node || !mayLag(one))
  }
  return own.filter(isOlder).map(({ jobId }) => `${jobId} is said to wait after its end was answered`)
}

/** The id and the kind of the job of an application. */
const kindOf = ({ answer, request }: Application): [string, Application['request']['kind']] => [
  answer !== undefined && 'jobId' in answer ? answer.jobId : 'none',
  request.kind,
]

/** Invariant 6: a customer sees only its own jobs, and sees what happened to them. */
export const onlyOwnJobsAreSeen: Check = ({ jobs, settlements, removals, world: { record, settings } }) => {
  const problems: string[] = []
  const kinds = new Map(record.applications.map(kindOf))
  for (const { jobId, own, kind, seen, answeredAt } of record.sightings) {
    const mayBeSeen = own && kind === kinds.get(jobId)
    if (!mayBeSeen && seen !== undefined) problems.push(`a stranger sees ${jobId} as ${seen.status}`)
    const removedAt = removals.get(streams.job(jobId))?.recordedAt ?? Number.POSITIVE_INFINITY
    if (mayBeSeen && seen === undefined && answeredAt < removedAt)
      problems.push(`the owner of ${jobId} does not find it`)
    if (!mayBeSeen || seen === undefined || seen.status === 'queued') continue
    const job = jobs.get(jobId) ?? []
    const end = endOf(job)
    const status = end?.type === 'JobCompleted' ? 'completed' : 'failed'
    if (seen.status !== status || end === undefined) problems.push(`${jobId} is seen as ${seen.status}`)
    if (end?.type === 'JobFailed' && seen.status === 'failed' && seen.error.code !== end.data.code)
      problems.push(`${jobId} is seen to fail with ${seen.error.code}`)
    const content = kind === 'transcript' ? 'text' : 'fits'
    if (seen.status === 'completed' && JSON.parse(seen.result)[content] === undefined)
      problems.push(`${jobId} is seen without a ${content}`)
    const settlement = settlements.get(jobId)?.[0]
    if (settlement !== undefined && seen.charged !== settlement.data.charged)
      problems.push(`${jobId} is seen to cost ${seen.charged} and was charged ${settlement.data.charged}`)
    const settledAt = settlement?.recordedAt ?? Number.POSITIVE_INFINITY
    const shownAt = Math.min(settledAt, (end?.recordedAt ?? 0) + SHOWN_UNSETTLED_AFTER_MS - settings.maxSkewMs)
    if (answeredAt < shownAt) problems.push(`the end of ${jobId} is seen before it is settled`)
  }
  return problems
}

/** Invariant 6, for reads of a job by its id: a customer reads only its own jobs, and reads what happened. */
export const onlyOwnJobsAreRead: Check = ({ jobs, settlements, removals, world: { record, settings } }) => {
  const problems: string[] = []
  for (const { jobId, own, seen, askedAt, answeredAt } of record.readings) {
    const removedAt = removals.get(streams.job(jobId))?.recordedAt ?? Number.POSITIVE_INFINITY
    if (!own && seen !== undefined) problems.push(`a stranger reads of ${jobId}`)
    if (own && seen === undefined && answeredAt < removedAt) problems.push(`the owner of ${jobId} does not find it`)
    if (!own || seen === undefined) continue
    const { details, timeline } = seen
    const ids = timeline.map(({ id }) => id)
    if (ids.some((id, index) => id <= (ids[index - 1] ?? 0))) problems.push(`the timeline of ${jobId} goes back`)
    const shownEnd = timeline.find(({ type }) => ['completed', 'failed', 'cancelled'].includes(type))
    if (shownEnd?.type !== (details.status === 'queued' ? undefined : details.state))
      problems.push(`the timeline of ${jobId} ends as ${shownEnd?.type}, and it is ${details.state}`)
    const end = endOf(jobs.get(jobId) ?? [])
    const settlement = settlements.get(jobId)?.[0]
    const { charged } = details.credits
    if (charged !== null && charged !== settlement?.data.charged) problems.push(`${jobId} is said to cost ${charged}`)
    if (details.error !== null && end?.type === 'JobFailed' && details.error.code !== end.data.code)
      problems.push(`${jobId} is read to fail with ${details.error.code}`)
    if (details.state === 'working' && end !== undefined && end.recordedAt < askedAt)
      problems.push(`${jobId} is said to be worked on after its end`)
    const shownAt = Math.min(
      settlement?.recordedAt ?? Number.POSITIVE_INFINITY,
      (end?.recordedAt ?? Number.POSITIVE_INFINITY) + SHOWN_UNSETTLED_AFTER_MS - settings.maxSkewMs,
    )
    if (shownEnd !== undefined && answeredAt < shownAt)
      problems.push(`the end of ${jobId} is read before it is settled`)
  }
  return problems
}
