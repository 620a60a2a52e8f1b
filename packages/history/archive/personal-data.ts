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

const kept = 'kept'
const hashed = 'hashed'
const blank = 'blank'

const options = {
  failFast: kept,
  strictLang: kept,
  translate: kept,
  words: kept,
  speakers: kept,
  vocabulary: hashed,
} as const
const used = { tokens: { input: kept, output: kept }, audioSeconds: kept } as const
const readFrom = { domain: blank, exit: blank } as const
const batch = { batchId: kept, item: kept, isTold: kept } as const
const purpose = { operation: kept, mode: kept, platform: kept, keyId: kept, batch } as const
const hold = { batchId: kept, credits: kept, requestHash: kept, keyId: kept, period: kept } as const
const debit = { jobId: kept, credits: kept, requestHash: kept, ...purpose, period: kept } as const
const transcript = {
  language: kept,
  source: kept,
  engine: kept,
  model: kept,
  audioSeconds: kept,
  segments: [{ start: kept, end: kept, text: blank, speaker: blank }],
  // There are many, and they are useless without their texts.
  words: blank,
} as const
const heard = { language: kept, probability: kept } as const
const speech = { ...transcript, heard, confidence: kept, reused: kept } as const

/** What happens to each field of each event, in the newest version of its type. */
export const sharesOf: { readonly [Type in EventType]: Shares } = {
  OrganizationRegistered: { name: blank },
  OrganizationRenamed: { name: blank },
  KeyCreated: {
    orgId: kept,
    name: blank,
    sha256: blank,
    prefix: blank,
    suffix: blank,
    scopes: kept,
    monthlyCredits: kept,
    expiresAt: kept,
    createdBy: kept,
  },
  KeyChanged: { orgId: kept, name: blank, monthlyCredits: kept, expiresAt: kept },
  KeyRevoked: { orgId: kept },
  CreditsGranted: { credits: kept, reason: kept, by: kept },
  PlanChanged: { plan: kept, by: kept },
  CreditsRenewed: { period: kept, credits: kept, expired: kept },
  CreditsHeld: hold,
  CreditsReleased: { batchId: kept, credits: kept, keyId: kept },
  CreditsDebited: debit,
  CreditsSettled: { jobId: kept, charged: kept, refunded: kept, reason: kept, ...purpose },
  CreditsStated: {
    balance: kept,
    plan: kept,
    period: kept,
    months: kept,
    renewed: kept,
    fillings: kept,
    openDebits: [{ ...debit, lapsed: kept }],
    holds: [{ ...hold, lapsed: kept }],
    spending: { period: kept, keys: [{ keyId: kept, credits: kept }] },
  },
  JobRequested: {
    orgId: kept,
    kind: kept,
    url: hashed,
    mode: kept,
    lang: kept,
    prompt: hashed,
    schema: blank,
    budget: kept,
    prices: { captions: kept, speech: kept },
    lane: kept,
    requestHash: kept,
    idempotencyKeyHash: kept,
    windowSeconds: kept,
    keyId: kept,
    surface: kept,
    webhookId: kept,
    reuse: kept,
    reused: kept,
    batchId: kept,
    options,
  },
  StepStarted: { step: kept, attempt: kept, worker: kept, leaseSeconds: kept },
  LeaseExtended: { step: kept, attempt: kept, leaseSeconds: kept },
  StepFailed: { step: kept, attempt: kept, code: kept, retryAfterSeconds: kept, used, readFrom },
  VideoFetched: {
    way: kept,
    canonicalUrl: hashed,
    platform: kept,
    metadata: {
      title: blank,
      author: blank,
      viewCount: kept,
      likeCount: kept,
      thumbnail: blank,
      description: blank,
      publishedAt: kept,
      authorId: blank,
      authorUrl: blank,
      commentCount: kept,
      shareCount: kept,
      tags: blank,
    },
    durationSeconds: kept,
    liveState: kept,
    captionTracks: [{ language: kept, source: kept, format: kept }],
    formats: [{ container: kept, hasAudio: kept, hasVideo: kept, width: kept, height: kept, bytes: kept }],
    readFrom,
  },
  CaptionsRead: { way: kept, ...transcript, readFrom },
  CaptionsUnavailable: { reason: kept, readFrom },
  SpeechTranscribed: { ...speech, vocabularyHeeded: kept, readFrom },
  ExtractionProduced: {
    result: blank,
    model: kept,
    promptHash: kept,
    schemaHash: kept,
    framesUsed: kept,
    tokens: { input: kept, output: kept },
    rounds: kept,
    readFrom,
  },
  RequestsCounted: { hour: kept, reads: kept, refused: kept },
  JobCompleted: { orgId: kept, kind: kept, credits: kept },
  BatchRequested: {
    orgId: kept,
    request: { kind: kept, mode: kept, lang: kept, prompt: hashed, schema: blank, options },
    source: blank,
    since: kept,
    limit: kept,
    held: kept,
    price: kept,
    keyId: kept,
    surface: kept,
    webhookId: kept,
    tellsItems: kept,
    skippedLines: kept,
    requestHash: kept,
    idempotencyKeyHash: kept,
  },
  BatchItemsAdded: { from: kept, items: [{ url: hashed, platform: kept, lines: kept }], isLast: kept, next: blank },
  BatchItemsBegun: { items: [{ item: kept, attempt: kept }] },
  BatchItemsEnded: { items: [{ item: kept, attempt: kept, code: kept, charged: kept, again: kept }] },
  BatchCancelled: { reason: kept, by: kept },
  BatchEnded: {
    reason: kept,
    completed: kept,
    failed: kept,
    cancelled: kept,
    charged: kept,
    returned: kept,
    webhookId: kept,
  },
  WatchCreated: {
    orgId: kept,
    source: blank,
    everySeconds: kept,
    request: { kind: kept, mode: kept, lang: kept, prompt: hashed, schema: blank, options },
    maxCreditsPerMonth: kept,
    backfill: kept,
    keyId: kept,
    webhookId: kept,
  },
  WatchLooked: {
    orgId: kept,
    look: kept,
    webhookId: kept,
    found: [{ id: hashed, url: hashed, title: blank, publishedAt: kept }],
    seen: hashed,
    failure: kept,
  },
  WatchJobsBegun: { orgId: kept, jobs: [{ number: kept, jobId: kept, credits: kept, code: kept }] },
  WatchChanged: { orgId: kept, everySeconds: kept, maxCreditsPerMonth: kept },
  WatchPaused: { orgId: kept, reason: kept },
  WatchResumed: { orgId: kept },
  WatchRemoved: { orgId: kept },
  StreamsRemoved: { reason: kept, streams: kept },
  WebhookCreated: { orgId: kept, kind: kept, host: blank, events: kept, results: kept, createdBy: kept },
  WebhookChanged: { orgId: kept, host: blank, events: kept, results: kept },
  WebhookSwitchedOff: { orgId: kept, reason: kept },
  WebhookSwitchedOn: { orgId: kept },
  WebhookReplayAsked: { orgId: kept, sinceSeconds: kept },
  WebhookRemoved: { orgId: kept },
  DeliveryRequested: {
    watch: { watchId: kept, revision: kept },
    orgId: kept,
    webhookId: kept,
    type: kept,
    jobId: kept,
    batchId: kept,
    balance: kept,
  },
  DeliveryRepeated: { webhookId: kept, request: kept },
  DeliveryAttempted: {
    attempt: kept,
    status: kept,
    failure: kept,
    milliseconds: kept,
    answer: blank,
    nextInSeconds: kept,
  },
  DeliveryEnded: { webhookId: kept, outcome: kept },
  JobFailed: { orgId: kept, kind: kept, code: kept, message: blank, used, unpaid: used, readFrom },
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
