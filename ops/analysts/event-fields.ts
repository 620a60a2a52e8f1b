import type { EventType } from '#contracts/generated/events.ts'
import { type Share, type Shares, sharesOf } from '#packages/history/archive/personal-data.ts'

/**
 * The place of an event's field in the tables: columns, such as `jobs.url`, or the reason why it has none. `read`: an
 * archive without content has the field only as a hash, or empty, and the columns are computed from it.
 */
export type Place = string | { in: string; read: string } | { leftOut: string }

/** The places of an object's fields. Brackets: of the objects in a list. */
export type Places = { readonly [field: string]: Place | Places | readonly [Places] }

/** Fields with columns of their own names, such as `windowSeconds` in `jobs.window_seconds`. */
const columns = (table: string, ...fields: string[]): Places =>
  Object.fromEntries(
    fields.map((field) => [field, `${table}.${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`]),
  )

/** Fields without a column. */
const without = (leftOut: string, ...fields: string[]): Places =>
  Object.fromEntries(fields.map((field) => [field, { leftOut }]))

const owned = without('it is org_id of every table', 'orgId')
const hashes = (...fields: string[]): Places => without('a hash by which a repeated request is known', ...fields)
const texts = (...fields: string[]): Places =>
  without('texts are results, not figures: the events have them', ...fields)
const going = (...fields: string[]): Places => without('it tells the service to go on', ...fields)
const schema = without('a schema is no column: the events have it', 'schema')
const ofFiles = (...fields: string[]): Places =>
  without('of the files that were offered: the events have them', ...fields)
const sources = (why: string): Places => without(`what it names differs by its kind${why}`, 'source')

const readFrom = columns('attempts', 'domain', 'exit')
const tokens = { input: 'attempts.input_tokens', output: 'attempts.output_tokens' }
const used = { tokens, ...columns('attempts', 'audioSeconds') }
const batch = {
  ...columns('credits', 'batchId'),
  ...without('the job tells its batch, and batch_items the items', 'item'),
  ...without('deliveries tell what was told', 'isTold'),
}
const purpose = { ...columns('credits', 'operation', 'mode', 'platform', 'keyId'), batch }
const transcript = {
  ...columns('jobs', 'language', 'engine', 'model'),
  source: 'jobs.text_source',
  ...columns('attempts', 'audioSeconds'),
  ...texts('segments', 'words'),
  readFrom,
}
const claimed = columns('attempts', 'step', 'attempt')
const requestOf = (table: string): Places => ({
  ...columns(table, 'kind', 'mode', 'lang', 'prompt'),
  ...schema,
  ...without('its jobs tell what was asked for each', 'options'),
})
const watched = columns('watches', 'everySeconds', 'maxCreditsPerMonth')
const hooked = { host: 'webhooks.host', events: 'webhooks.tells_of', results: 'webhooks.with_results' }

/** Each field of each event, in the newest version of its type. A test finds missing fields. */
export const placesOf: { readonly [Type in EventType]: Places } = {
  OrganizationRegistered: columns('customers', 'name'),
  OrganizationRenamed: columns('customers', 'name'),
  KeyCreated: {
    ...owned,
    ...columns('keys', 'name', 'scopes', 'monthlyCredits', 'expiresAt', 'createdBy'),
    ...without('it lets a key be known', 'sha256', 'prefix', 'suffix'),
  },
  KeyChanged: { ...owned, ...columns('keys', 'name', 'monthlyCredits', 'expiresAt') },
  KeyRevoked: owned,
  CreditsGranted: { credits: 'credits.given', reason: 'credits.reason', by: 'credits.done_by' },
  PlanChanged: { plan: 'credits.plan', by: 'credits.done_by' },
  CreditsRenewed: { credits: 'credits.given', ...columns('credits', 'period', 'expired') },
  CreditsHeld: {
    credits: 'credits.amount',
    ...columns('credits', 'batchId', 'keyId', 'period'),
    ...hashes('requestHash'),
  },
  CreditsReleased: { credits: 'credits.amount', ...columns('credits', 'batchId', 'keyId') },
  CreditsDebited: {
    credits: 'credits.amount',
    ...columns('credits', 'jobId', 'period'),
    ...hashes('requestHash'),
    ...purpose,
  },
  CreditsSettled: { ...columns('credits', 'jobId', 'charged', 'refunded', 'reason'), ...purpose },
  CreditsStated: {
    ...columns('credits', 'balance', 'plan', 'period'),
    ...without(
      'the lines of the ledger before it tell the same',
      ...['months', 'renewed', 'fillings', 'openDebits', 'holds', 'spending'],
    ),
  },
  JobRequested: {
    ...owned,
    url: { in: 'jobs.url', read: 'jobs.host' },
    ...columns('jobs', 'kind', 'mode', 'lang', 'prompt', 'budget', 'lane', 'windowSeconds', 'keyId', 'surface'),
    ...columns('jobs', 'webhookId', 'reused', 'batchId'),
    reuse: 'jobs.reuse_would_do',
    ...schema,
    ...hashes('requestHash', 'idempotencyKeyHash'),
    prices: { captions: 'jobs.price_captions', speech: 'jobs.price_speech' },
    options: columns('jobs', 'failFast', 'strictLang', 'translate', 'words', 'speakers', 'vocabulary'),
  },
  StepStarted: { ...claimed, worker: 'attempts.worker', leaseSeconds: 'attempts.lost_seconds' },
  LeaseExtended: { ...claimed, leaseSeconds: 'attempts.lost_seconds' },
  StepFailed: { ...claimed, code: 'attempts.code', retryAfterSeconds: 'attempts.paused_seconds', used, readFrom },
  VideoFetched: {
    canonicalUrl: { in: 'videos.url', read: 'videos.host' },
    ...columns('videos', 'way', 'platform', 'liveState'),
    metadata: {
      ...columns('videos', 'title', 'author'),
      viewCount: 'videos.views',
      likeCount: 'videos.likes',
      ...without('an address of a picture', 'thumbnail'),
      ...columns('videos', 'description', 'publishedAt', 'authorId', 'authorUrl', 'tags'),
      commentCount: 'videos.comments',
      shareCount: 'videos.shares',
    },
    durationSeconds: 'videos.video_seconds',
    captionTracks: [{ language: 'videos.caption_languages', ...ofFiles('source', 'format') }],
    ...ofFiles('formats'),
    readFrom,
  },
  CaptionsRead: { ...without('that of the video is told', 'way'), ...transcript },
  CaptionsUnavailable: { reason: 'jobs.without_captions', readFrom },
  SpeechTranscribed: {
    ...transcript,
    heard: { language: 'jobs.heard_language', probability: 'jobs.heard_probability' },
    ...columns('jobs', 'confidence', 'vocabularyHeeded'),
    ...without('the attempt has then used no audio', 'reused'),
  },
  ExtractionProduced: {
    ...texts('result'),
    ...columns('jobs', 'model', 'framesUsed', 'rounds'),
    ...hashes('promptHash', 'schemaHash'),
    tokens,
    readFrom,
  },
  RequestsCounted: { hour: 'requests.hour', reads: 'requests.requests', refused: 'requests.requests' },
  JobCompleted: {
    ...owned,
    ...columns('jobs', 'kind'),
    ...without('its ledger tells what was charged', 'credits'),
  },
  JobFailed: {
    ...owned,
    ...columns('jobs', 'kind', 'code', 'message'),
    used,
    unpaid: {
      tokens: { input: 'jobs.unpaid_input_tokens', output: 'jobs.unpaid_output_tokens' },
      audioSeconds: 'jobs.unpaid_audio_seconds',
    },
    readFrom,
  },
  BatchRequested: {
    ...owned,
    request: requestOf('batches'),
    ...sources('; batches.is_of_source tells whether there is one'),
    ...columns('batches', 'since', 'held', 'price', 'keyId', 'surface', 'webhookId', 'tellsItems', 'skippedLines'),
    limit: 'batches.item_limit',
    ...hashes('requestHash', 'idempotencyKeyHash'),
  },
  BatchItemsAdded: {
    from: 'batch_items.item',
    items: [
      {
        ...columns('batch_items', 'url', 'platform'),
        ...without('places in what the caller has sent', 'lines'),
      },
    ],
    ...going('isLast', 'next'),
  },
  BatchItemsBegun: { items: [{ item: 'batch_items.item', attempt: 'batch_items.jobs' }] },
  BatchItemsEnded: {
    items: [
      {
        attempt: 'batch_items.jobs',
        ...columns('batch_items', 'item', 'code', 'charged'),
        again: 'batch_items.ended_at',
      },
    ],
  },
  BatchCancelled: { ...without('BatchEnded tells it', 'reason'), by: 'batches.cancelled_by' },
  BatchEnded: {
    reason: 'batches.ended_because',
    ...columns('batches', 'completed', 'failed', 'cancelled', 'charged', 'returned', 'webhookId'),
  },
  WatchCreated: {
    ...owned,
    ...sources(': the events have it'),
    ...watched,
    request: requestOf('watches'),
    ...columns('watches', 'backfill', 'keyId', 'webhookId'),
  },
  WatchLooked: {
    ...owned,
    look: 'watches.looks',
    ...columns('watches', 'webhookId'),
    found: [{ id: 'watch_videos.video_id', ...columns('watch_videos', 'url', 'title', 'publishedAt') }],
    ...without('ids of videos that were there before', 'seen'),
    failure: 'watches.failures',
  },
  WatchJobsBegun: { ...owned, jobs: [columns('watch_videos', 'number', 'jobId', 'credits', 'code')] },
  WatchChanged: { ...owned, ...watched },
  WatchPaused: { ...owned, reason: 'watches.paused_because' },
  WatchResumed: owned,
  WatchRemoved: owned,
  StreamsRemoved: without('what was removed is in no table; forgotten has its sums', 'reason', 'streams'),
  WebhookCreated: { ...owned, ...hooked, ...columns('webhooks', 'kind', 'createdBy') },
  WebhookChanged: { ...owned, ...hooked },
  WebhookSwitchedOff: { ...owned, reason: 'webhooks.off_because' },
  WebhookSwitchedOn: owned,
  WebhookReplayAsked: { ...owned, ...without('webhooks.replays tells how many there were', 'sinceSeconds') },
  WebhookRemoved: owned,
  DeliveryRequested: {
    ...owned,
    type: 'deliveries.tells_of',
    ...columns('deliveries', 'webhookId', 'jobId', 'batchId'),
    ...without('the ledger tells it', 'balance'),
    watch: { ...columns('deliveries', 'watchId'), ...without('the stream tells it', 'revision') },
  },
  DeliveryRepeated: {
    ...columns('deliveries', 'webhookId'),
    ...without('deliveries.repeats tells how many there were', 'request'),
  },
  DeliveryAttempted: {
    attempt: 'deliveries.attempts',
    status: 'deliveries.last_status',
    failure: 'deliveries.last_failure',
    ...columns('deliveries', 'milliseconds'),
    ...without('text of strangers', 'answer'),
    ...going('nextInSeconds'),
  },
  DeliveryEnded: columns('deliveries', 'webhookId', 'outcome'),
}

type Field = { column: string; hasContentOnly: boolean }

/** The columns of fields, and whether an archive without content may leave them empty. */
function fieldsOf(place: Place | Places | readonly [Places], share: Share | Shares | readonly [Shares]): Field[] {
  if (typeof place === 'string') return [{ column: place, hasContentOnly: share === 'blank' }]
  if (isPlace(place)) {
    if (!('in' in place)) return []
    return [
      { column: place.in, hasContentOnly: share === 'blank' },
      { column: place.read, hasContentOnly: share !== 'kept' },
    ]
  }
  const places = Array.isArray(place) ? place[0] : place
  const shares = Array.isArray(share) ? share[0] : share
  return Object.entries(places as Places).flatMap(([name, inner]) =>
    fieldsOf(inner, typeof shares === 'string' ? shares : (shares[name] ?? 'kept')),
  )
}

export const isPlace = (place: Place | Places | readonly [Places]): place is Place =>
  typeof place === 'string' || typeof (place as { leftOut?: unknown }).leftOut === 'string' || 'read' in place

const fields = Object.entries(placesOf).flatMap(([type, places]) => fieldsOf(places, sharesOf[type as EventType]))

/** The columns that show fields of events. */
export const columnsOfFields: readonly string[] = [...new Set(fields.map(({ column }) => column))]

/** The columns that an archive without content leaves empty, as personal-data.ts decides. */
export const contentColumns: readonly string[] = columnsOfFields.filter((column) =>
  fields.every((field) => field.column !== column || field.hasContentOnly),
)
