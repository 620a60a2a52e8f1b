import type { EventType } from '#contracts/generated/events.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { sha256 } from '#packages/ports/ids.ts'

/**
 * How an archive without content stores a field. `hashed` values can still be compared with each other. `blank` values
 * are empty values of the field's type, so that the rules of jobs and credits can still read the event.
 */
export type Share = 'kept' | 'hashed' | 'blank'

/** The fields of an object. In brackets: of each object in a list. */
export type Shares = { readonly [field: string]: Share | Shares | readonly [Shares] }

/** Fields with the same share. */
const fieldsOf =
  (share: Share) =>
  (...names: string[]): Shares =>
    Object.fromEntries(names.map((name) => [name, share]))

const kept = fieldsOf('kept')
const hashed = fieldsOf('hashed')
const blank = fieldsOf('blank')

const options = { ...kept('failFast', 'strictLang', 'translate', 'words', 'speakers'), ...hashed('vocabulary') }
const request = { ...kept('kind', 'mode', 'lang'), ...hashed('prompt'), ...blank('schema'), options }
const tokens = kept('input', 'output')
const used = { tokens, ...kept('audioSeconds') }
const readFrom = blank('domain', 'exit')
const purpose = { ...kept('operation', 'mode', 'platform', 'keyId'), batch: kept('batchId', 'item', 'isTold') }
const hold = kept('batchId', 'credits', 'requestHash', 'keyId', 'period')
const debit = { ...kept('jobId', 'credits', 'requestHash', 'period'), ...purpose }
const transcript = {
  ...kept('language', 'source', 'engine', 'model', 'audioSeconds'),
  segments: [{ ...kept('start', 'end'), ...blank('text', 'speaker') }],
  // There are many, and they are useless without their texts.
  ...blank('words'),
  readFrom,
} as const
const watched = kept('everySeconds', 'maxCreditsPerMonth')
const hooked = { ...blank('host'), ...kept('events', 'results') }

/** What happens to each field of each event, in the newest version of its type. */
export const sharesOf: { readonly [Type in EventType]: Shares } = {
  OrganizationRegistered: blank('name'),
  OrganizationRenamed: blank('name'),
  KeyCreated: {
    ...kept('orgId', 'scopes', 'monthlyCredits', 'expiresAt', 'createdBy'),
    ...blank('name', 'sha256', 'prefix', 'suffix'),
  },
  KeyChanged: { ...kept('orgId', 'monthlyCredits', 'expiresAt'), ...blank('name') },
  KeyRevoked: kept('orgId'),
  CreditsGranted: kept('credits', 'reason', 'by'),
  PlanChanged: kept('plan', 'by'),
  CreditsRenewed: kept('period', 'credits', 'expired'),
  CreditsHeld: hold,
  CreditsReleased: kept('batchId', 'credits', 'keyId'),
  CreditsDebited: debit,
  CreditsSettled: { ...kept('jobId', 'charged', 'refunded', 'reason'), ...purpose },
  CreditsStated: {
    ...kept('balance', 'plan', 'period', 'months', 'renewed', 'fillings'),
    openDebits: [{ ...debit, ...kept('lapsed') }],
    holds: [{ ...hold, ...kept('lapsed') }],
    spending: { ...kept('period'), keys: [kept('keyId', 'credits')] },
  },
  JobRequested: {
    ...request,
    ...kept('orgId', 'budget', 'lane', 'requestHash', 'idempotencyKeyHash', 'windowSeconds', 'keyId', 'surface'),
    ...kept('webhookId', 'reuse', 'reused', 'batchId'),
    ...hashed('url'),
    prices: kept('captions', 'speech'),
  },
  StepStarted: kept('step', 'attempt', 'worker', 'leaseSeconds'),
  LeaseExtended: kept('step', 'attempt', 'leaseSeconds'),
  StepFailed: { ...kept('step', 'attempt', 'code', 'retryAfterSeconds'), used, readFrom },
  VideoFetched: {
    ...kept('way', 'platform', 'durationSeconds', 'liveState'),
    ...hashed('canonicalUrl'),
    metadata: {
      ...kept('viewCount', 'likeCount', 'publishedAt', 'commentCount', 'shareCount'),
      ...blank('title', 'author', 'thumbnail', 'description', 'authorId', 'authorUrl', 'tags'),
    },
    captionTracks: [kept('language', 'source', 'format')],
    formats: [kept('container', 'hasAudio', 'hasVideo', 'width', 'height', 'bytes')],
    readFrom,
  },
  CaptionsRead: { ...kept('way'), ...transcript },
  CaptionsUnavailable: { ...kept('reason'), readFrom },
  SpeechTranscribed: {
    ...transcript,
    ...kept('confidence', 'reused', 'vocabularyHeeded'),
    heard: kept('language', 'probability'),
  },
  ExtractionProduced: {
    ...kept('model', 'promptHash', 'schemaHash', 'framesUsed', 'rounds'),
    ...blank('result'),
    tokens,
    readFrom,
  },
  RequestsCounted: kept('hour', 'reads', 'refused'),
  JobCompleted: kept('orgId', 'kind', 'credits'),
  BatchRequested: {
    ...kept('orgId', 'since', 'limit', 'held', 'price', 'keyId', 'surface', 'webhookId', 'tellsItems'),
    ...kept('skippedLines', 'requestHash', 'idempotencyKeyHash'),
    ...blank('source'),
    request,
  },
  BatchItemsAdded: {
    ...kept('from', 'isLast'),
    ...blank('next'),
    items: [{ ...hashed('url'), ...kept('platform', 'lines') }],
  },
  BatchItemsBegun: { items: [kept('item', 'attempt')] },
  BatchItemsEnded: { items: [kept('item', 'attempt', 'code', 'charged', 'again')] },
  BatchCancelled: kept('reason', 'by'),
  BatchEnded: kept('reason', 'completed', 'failed', 'cancelled', 'charged', 'returned', 'webhookId'),
  WatchCreated: { ...watched, ...kept('orgId', 'backfill', 'keyId', 'webhookId'), ...blank('source'), request },
  WatchLooked: {
    ...kept('orgId', 'look', 'webhookId', 'failure'),
    ...hashed('seen'),
    found: [{ ...hashed('id', 'url'), ...blank('title'), ...kept('publishedAt') }],
  },
  WatchJobsBegun: { ...kept('orgId'), jobs: [kept('number', 'jobId', 'credits', 'code')] },
  WatchChanged: { ...kept('orgId'), ...watched },
  WatchPaused: kept('orgId', 'reason'),
  WatchResumed: kept('orgId'),
  WatchRemoved: kept('orgId'),
  StreamsRemoved: kept('reason', 'streams'),
  WebhookCreated: { ...kept('orgId', 'kind', 'createdBy'), ...hooked },
  WebhookChanged: { ...kept('orgId'), ...hooked },
  WebhookSwitchedOff: kept('orgId', 'reason'),
  WebhookSwitchedOn: kept('orgId'),
  WebhookReplayAsked: kept('orgId', 'sinceSeconds'),
  WebhookRemoved: kept('orgId'),
  DeliveryRequested: {
    ...kept('orgId', 'webhookId', 'type', 'jobId', 'batchId', 'balance'),
    watch: kept('watchId', 'revision'),
  },
  DeliveryRepeated: kept('webhookId', 'request'),
  DeliveryAttempted: {
    ...kept('attempt', 'status', 'failure', 'milliseconds', 'nextInSeconds'),
    ...blank('answer'),
  },
  DeliveryEnded: kept('webhookId', 'outcome'),
  JobFailed: { ...kept('orgId', 'kind', 'code'), ...blank('message'), used, unpaid: used, readFrom },
}

/** Turns a value into the value that the archive stores. */
type Change = (value: unknown) => unknown

const hashOf: Change = (value) => `sha256:${sha256(String(value)).slice(0, 16)}`

const blankOf: Change = (value) => {
  if (Array.isArray(value)) return []
  if (typeof value === 'string') return ''
  if (typeof value === 'number') return 0
  return typeof value === 'boolean' ? false : {}
}

/** The change for a share. Undefined if the value is kept unchanged. Null stays null. */
function changeOf(share: Share | Shares | readonly [Shares]): Change | undefined {
  if (share === 'kept') return undefined
  if (share === 'hashed') return hashOf
  if (share === 'blank') return blankOf
  return isList(share) ? changeOfEach(share[0]) : changeOfFields(share)
}

function changeOfFields(shares: Shares): Change | undefined {
  const changes = Object.entries(shares).flatMap(([name, share]) => {
    const change = changeOf(share)
    return change === undefined ? [] : [[name, change] as const]
  })
  if (changes.length === 0) return undefined
  return (object) => {
    const changed = { ...(object as Record<string, unknown>) }
    for (const [name, change] of changes)
      if (changed[name] !== undefined && changed[name] !== null) changed[name] = change(changed[name])
    return changed
  }
}

function changeOfEach(shares: Shares): Change | undefined {
  const change = changeOfFields(shares)
  return change && ((list) => (list as unknown[]).map(change))
}

const isList = (share: Shares | readonly [Shares]): share is readonly [Shares] => Array.isArray(share)

const changes: ReadonlyMap<string, Change | undefined> = new Map(
  Object.entries(sharesOf).map(([type, shares]) => [type, changeOfFields(shares)]),
)

/** Whether an archive without content stores the complete data of an event of this type. */
export const hasWholeData = (type: StoredEvent['type']): boolean => changes.get(type) === undefined

/** An event's data without personal data. */
export const withoutContent = ({ type, data }: StoredEvent): unknown => changes.get(type)?.(data) ?? data
