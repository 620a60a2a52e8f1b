import type { HeldFields } from '#packages/adapters/documents.ts'
import { viewsDefinition } from '#packages/events/views/views-definition.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { applyToBatches, heldAfter } from './batch-views.ts'
import { type Fields, type Fold, set } from './folds.ts'
import type { Check } from './history.ts'
import { rawEvents } from './raw-events.ts'
import { applyToDeliveries, applyToWebhooks } from './webhook-views.ts'

/**
 * Invariant 5: views equal a fresh replay of the events, which is made here without the service's projections. They
 * have nothing of a removed stream. Sums of many jobs may have been made before or after some of them were removed.
 */
export const viewsEqualReplay: Check = ({ events, removals, world: { documents, events: stored } }) => {
  const most = replayed(events, removals.keys())
  const least = replayed(rawEvents(stored), removals.keys())
  return Object.entries(most).flatMap(([name, fold]) => {
    const held = documents.collections.get(name) ?? new Map<string, HeldFields>()
    const isRight = (id: string): boolean => {
      const fields = parsed(name, held.get(id))
      if (!isSum(name)) return canonical(fold.get(id)) === canonical(fields)
      return isBetween(least[name]?.get(id), fields, fold.get(id))
    }
    return [...new Set([...fold.keys(), ...held.keys()])]
      .filter((id) => !isRight(id))
      .map((id) => `${name} ${id} is ${held.get(id)?.json} instead of ${JSON.stringify(fold.get(id))}`)
  })
}

/** Documents that also hold data of streams that may be removed: sums, and when a webhook was last used. */
const isSum = (name: string): boolean => ['usage', 'dailyUse', 'organizationUse', 'webhooks'].includes(name)

function replayed(events: readonly StoredEvent[], removed: Iterable<string>): Record<string, Fold> {
  const names = Object.keys(viewsDefinition.collections)
  const folds: Record<string, Fold> = Object.fromEntries(names.map((name) => [name, new Map()]))
  for (const event of events) {
    applyToJobs(folds.jobs as Fold, event)
    applyToKeys(folds.keys as Fold, event)
    applyToBalances(folds.balances as Fold, event)
    applyToBatches(folds.batches as Fold, event)
    applyToWebhooks(folds.webhooks as Fold, event)
    applyToDeliveries(folds.deliveries as Fold, event)
    applyToUsage(folds.usage as Fold, event)
    applyToUse(folds.dailyUse as Fold, dayOf(event), event)
    applyToUseOfOne(folds.organizationUse as Fold, `${event.metadata.orgId}/${dayOf(event)}`, event)
  }
  for (const stream of removed) remove(folds, stream)
  return folds
}

function remove(folds: Record<string, Fold>, stream: string): void {
  const [, category, id = ''] = /^([a-z]+)-(.*)$/.exec(stream) ?? []
  if (category === 'job') folds.jobs?.delete(id)
  if (category === 'key') folds.keys?.delete(id)
  if (category === 'batch') folds.batches?.delete(id)
  if (category === 'webhook') folds.webhooks?.delete(id)
  if (category === 'delivery') folds.deliveries?.delete(id)
  if (category !== 'credits') return
  folds.balances?.delete(id)
  for (const fold of [folds.usage, folds.organizationUse])
    for (const each of fold?.keys() ?? []) if (each.startsWith(`${id}/`)) fold?.delete(each)
}

/** Whether each number of a document lies between those of two others. A missing number is 0. */
function isBetween(least: unknown, fields: unknown, most: unknown): boolean {
  if (least === undefined && fields === undefined) return true
  if (typeof most === 'number') return Number(least ?? 0) <= Number(fields ?? 0) && Number(fields ?? 0) <= most
  if (typeof most !== 'object' || most === null) return fields === undefined || fields === most
  const of = (one: unknown, name: string): unknown => (one as Fields | undefined)?.[name]
  const names = new Set([least, fields, most].flatMap((one) => Object.keys(one ?? {})))
  return [...names].every((name) => isBetween(of(least, name), of(fields, name), of(most, name)))
}

const parsed = (name: string, held: HeldFields | undefined): Fields | undefined =>
  held && {
    ...JSON.parse(held.json),
    ...(held.large !== null && { [viewsDefinition.collections[name]?.largeField ?? '']: held.large }),
  }

const canonical = (fields: Fields | undefined): string =>
  fields === undefined ? 'none' : JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))

const isShownInJobs = (type: string): boolean =>
  /^(JobRequested|VideoFetched|Captions(Read|Unavailable)|SpeechTranscribed|ExtractionProduced|Job(Completed|Failed))$/.test(
    type,
  )

function applyToJobs(fold: Fold, { type, data, stream, revision, recordedAt, metadata }: StoredEvent): void {
  const id = stream.slice('job-'.length)
  const traceId = metadata.traceparent.split('-')[1]
  if (isShownInJobs(type)) set(fold, id, { revision })
  if (type === 'JobRequested') {
    const { orgId, kind, url, idempotencyKeyHash, mode, keyId, surface, batchId, reused } = data
    const reuse = { requestHash: reused === null ? data.requestHash : null, reused }
    const video = { title: null, author: null, thumbnail: null, durationSeconds: null, captionLanguages: null }
    const notKnown = { ...video, language: null, charged: null }
    const nothingYet = { result: null, status: 'queued', error: null, endedAt: null, settled: false, ...notKnown }
    const asked = { orgId, kind, traceId, url, idempotencyKeyHash, mode, keyId, surface, batchId, ...reuse }
    const request = { ...asked, platform: 'direct', domain: 'example.com', extras: null }
    set(fold, id, { ...request, listedAs: 'queued', requestedAt: recordedAt, ...nothingYet })
  }
  if (type === 'VideoFetched') {
    const captionLanguages = data.captionTracks?.map(({ language }) => language) ?? null
    const { title, author, thumbnail } = data.metadata
    set(fold, id, { title, author, thumbnail, captionLanguages, durationSeconds: data.durationSeconds })
  }
  if (type === 'CaptionsRead' || type === 'SpeechTranscribed') set(fold, id, { language: data.language })
  if (type === 'CaptionsUnavailable' && data.reason !== 'captions_unavailable')
    set(fold, id, { captionsUnread: data.reason })
  const isTranscript = fold.get(id)?.kind === 'transcript'
  if (isTranscript && (type === 'CaptionsRead' || type === 'SpeechTranscribed')) {
    const { segments, language } = data
    const source = type === 'SpeechTranscribed' ? 'speech' : 'captions'
    const text = segments.map(({ text }) => text).join(' ')
    const availableLanguages = fold.get(id)?.captionLanguages
    set(fold, id, { result: JSON.stringify({ text, segments, language, source, availableLanguages }) })
  }
  if (type === 'ExtractionProduced') set(fold, id, { result: JSON.stringify(data.result) })
  if (type === 'JobCompleted') set(fold, id, { status: 'completed', endedAt: recordedAt, charged: data.credits })
  if (type === 'JobFailed') {
    const { orgId, kind, code, message } = data
    const trace = { traceId, ...fold.get(id) }.traceId
    set(fold, id, {
      orgId,
      kind,
      traceId: trace,
      status: 'failed',
      result: null,
      error: { code, message },
      endedAt: recordedAt,
      charged: 0,
    })
  }
  if (type === 'CreditsSettled' && fold.has(data.jobId)) {
    const { status, listedAs } = fold.get(data.jobId) ?? {}
    // No list names a job that was never accepted.
    set(fold, data.jobId, {
      settled: true,
      charged: data.charged,
      ...(listedAs === undefined ? {} : { listedAs: status }),
    })
  }
}

function applyToKeys(fold: Fold, { type, data, stream, recordedAt }: StoredEvent): void {
  const id = stream.slice('key-'.length)
  const at = new Date(recordedAt).toISOString()
  if (type === 'KeyCreated') {
    const { orgId, name, prefix, suffix, scopes, monthlyCredits, expiresAt } = data
    const limits = { scopes, monthlyCredits, expiresAt }
    set(fold, id, { orgId, name, prefix, suffix, ...limits, createdAt: at, revokedAt: null, listedFor: orgId })
  }
  if (type === 'KeyChanged') {
    const { name, monthlyCredits, expiresAt } = data
    set(fold, id, { name, monthlyCredits, expiresAt })
  }
  if (type === 'KeyRevoked') set(fold, id, { revokedAt: at, listedFor: null })
}

function applyToBalances(fold: Fold, event: StoredEvent): void {
  const { type, data, stream, recordedAt } = event
  if (!/^(credits|organization)-/.test(stream)) return
  const id = stream.replace(/^(credits|organization)-/, '')
  const before = { name: null, plan: 'free', balance: 0, holds: [] as string[], ...fold.get(id) }
  const { change, holds } = heldAfter(event, before.holds)
  const held = { holds, hasHolds: holds.length > 0 ? 'yes' : 'no' }
  const fields: Fields = { ...before, ...held, balance: before.balance + change, changedAt: recordedAt }
  if (type === 'OrganizationRegistered') Object.assign(fields, { name: data.name, registeredAt: recordedAt })
  if (type === 'OrganizationRenamed') fields.name = data.name
  if (type === 'PlanChanged') fields.plan = data.plan
  if (type === 'CreditsGranted') fields.balance = before.balance + data.credits
  if (type === 'CreditsRenewed') fields.balance = before.balance + data.credits - data.expired
  fold.set(id, fields)
}

const dayOf = ({ recordedAt }: StoredEvent): string => new Date(recordedAt).toISOString().slice(0, 10)

function useOf({ type, data }: StoredEvent): { speechSeconds: number; tokens: number } | undefined {
  if (type === 'SpeechTranscribed') return { speechSeconds: data.reused ? 0 : (data.audioSeconds ?? 0), tokens: 0 }
  if (type === 'ExtractionProduced') return { speechSeconds: 0, tokens: data.tokens.input + data.tokens.output }
  if (type !== 'StepFailed' && type !== 'JobFailed') return undefined
  const { input, output } = data.used?.tokens ?? { input: 0, output: 0 }
  const use = { speechSeconds: data.used?.audioSeconds ?? 0, tokens: input + output }
  return use.speechSeconds > 0 || use.tokens > 0 ? use : undefined
}

function applyToUse(fold: Fold, id: string, event: StoredEvent): void {
  const use = useOf(event)
  if (use === undefined) return
  const { speechSeconds, tokens } = { speechSeconds: 0, tokens: 0, ...fold.get(id) }
  const sum = { speechSeconds: speechSeconds + use.speechSeconds, tokens: tokens + use.tokens }
  fold.set(id, { ...fold.get(id), ...sum })
}

/** The usage of one organization, and its charged and unpaid jobs. */
function applyToUseOfOne(fold: Fold, id: string, event: StoredEvent): void {
  const { type, data } = event
  const isCharged = type === 'JobCompleted' && data.credits > 0
  const unpaid = type === 'JobFailed' ? data.unpaid : undefined
  if (!isCharged && unpaid === undefined && useOf(event) === undefined) return
  const nothing = { speechSeconds: 0, tokens: 0 }
  const before = { ...nothing, chargedJobs: 0, unpaidJobs: 0, unpaid: nothing, ...fold.get(id) }
  const { chargedJobs, unpaidJobs } = before
  const sum = {
    speechSeconds: before.unpaid.speechSeconds + (unpaid?.audioSeconds ?? 0),
    tokens: before.unpaid.tokens + (unpaid?.tokens.input ?? 0) + (unpaid?.tokens.output ?? 0),
  }
  const jobs = { chargedJobs: chargedJobs + Number(isCharged), unpaidJobs: unpaidJobs + Number(unpaid !== undefined) }
  fold.set(id, { ...before, ...jobs, unpaid: sum })
  applyToUse(fold, id, event)
}

type Costs = Record<string, { jobs: number; charged: number; refunded: number }>

function applyToUsage(fold: Fold, event: StoredEvent): void {
  if (event.type !== 'CreditsSettled') return
  const { orgId } = event.metadata
  const id = `${orgId}/${dayOf(event)}`
  const { charged, refunded, operation, keyId, platform } = event.data
  const before = { operation: {}, key: {}, platform: {}, ...fold.get(id) } as Record<string, Costs>
  const groups = Object.entries({ operation, key: keyId, platform }).map(([by, given]) => {
    const group = given ?? 'unknown'
    const cost = before[by]?.[group] ?? { jobs: 0, charged: 0, refunded: 0 }
    const sum = { jobs: cost.jobs + 1, charged: cost.charged + charged, refunded: cost.refunded + refunded }
    return [by, { ...before[by], [group]: sum }]
  })
  fold.set(id, { orgId, startsAt: Date.parse(dayOf(event)), ...Object.fromEntries(groups) })
}
