import type { EventType } from '#contracts/generated/events.ts'
import { type Share, type Shares, sharesOf } from '#packages/history/archive/personal-data.ts'

/**
 * The place of an event's field in the tables: columns, such as `jobs.url`, or the reason why it has none. `read`: an
 * archive without content has the field only as a hash, or empty, and the columns are computed from it.
 */
export type Place = string | { in: string; read: string } | { leftOut: string }

/** The places of an object's fields. Brackets: of the objects in a list. */
export type Places = { readonly [field: string]: Place | Places | readonly [Places] }

const because = (leftOut: string): Place => ({ leftOut })

const owner = because('it is org_id of every table')
const compared = because('a hash by which a repeated request is known')
const revisions = because('the stream tells it')
const schema = because('a schema is no column: the events have it')
const texts = because('texts are results, not figures: the events have them')
const numbers = because('of the files that were offered: the events have them')
const statement = because('the lines of the ledger before it tell the same')

const options = {
  failFast: 'jobs.fail_fast',
  strictLang: 'jobs.strict_lang',
  translate: 'jobs.translate',
  words: 'jobs.words',
  speakers: 'jobs.speakers',
  vocabulary: 'jobs.vocabulary',
}
const readFrom = { domain: 'attempts.domain', exit: 'attempts.exit' }
const used = {
  tokens: { input: 'attempts.input_tokens', output: 'attempts.output_tokens' },
  audioSeconds: 'attempts.audio_seconds',
}
const batch = {
  batchId: 'credits.batch_id',
  item: because('the job tells its batch, and batch_items the items'),
  isTold: because('deliveries tell what was told'),
}
const purpose = {
  operation: 'credits.operation',
  mode: 'credits.mode',
  platform: 'credits.platform',
  keyId: 'credits.key_id',
  batch,
}
const words = because('texts are results, not figures: the events have them')
const segments = texts
const transcript = {
  language: 'jobs.language',
  source: 'jobs.text_source',
  engine: 'jobs.engine',
  model: 'jobs.model',
  audioSeconds: 'attempts.audio_seconds',
  ...{ segments, words, readFrom },
}
const claimed = { step: 'attempts.step', attempt: 'attempts.attempt' }
const asked = because('its jobs tell what was asked for each')
const watched = { everySeconds: 'watches.every_seconds', maxCreditsPerMonth: 'watches.max_credits_per_month' }
const hooked = { host: 'webhooks.host', events: 'webhooks.tells_of', results: 'webhooks.with_results' }

/** Each field of each event, in the newest version of its type. A test finds missing fields. */
export const placesOf: { readonly [Type in EventType]: Places } = {
  OrganizationRegistered: { name: 'customers.name' },
  OrganizationRenamed: { name: 'customers.name' },
  KeyCreated: {
    orgId: owner,
    name: 'keys.name',
    sha256: because('it lets a key be known'),
    prefix: because('it lets a key be known'),
    suffix: because('it lets a key be known'),
    scopes: 'keys.scopes',
    monthlyCredits: 'keys.monthly_credits',
    expiresAt: 'keys.expires_at',
    createdBy: 'keys.created_by',
  },
  KeyChanged: {
    orgId: owner,
    name: 'keys.name',
    monthlyCredits: 'keys.monthly_credits',
    expiresAt: 'keys.expires_at',
  },
  KeyRevoked: { orgId: owner },
  CreditsGranted: { credits: 'credits.given', reason: 'credits.reason', by: 'credits.done_by' },
  PlanChanged: { plan: 'credits.plan', by: 'credits.done_by' },
  CreditsRenewed: { period: 'credits.period', credits: 'credits.given', expired: 'credits.expired' },
  CreditsHeld: {
    batchId: 'credits.batch_id',
    credits: 'credits.amount',
    requestHash: compared,
    keyId: 'credits.key_id',
    period: 'credits.period',
  },
  CreditsReleased: { batchId: 'credits.batch_id', credits: 'credits.amount', keyId: 'credits.key_id' },
  CreditsDebited: {
    jobId: 'credits.job_id',
    credits: 'credits.amount',
    requestHash: compared,
    ...purpose,
    period: 'credits.period',
  },
  CreditsSettled: {
    jobId: 'credits.job_id',
    charged: 'credits.charged',
    refunded: 'credits.refunded',
    reason: 'credits.reason',
    ...purpose,
  },
  CreditsStated: {
    balance: 'credits.balance',
    plan: 'credits.plan',
    period: 'credits.period',
    months: statement,
    renewed: statement,
    fillings: statement,
    openDebits: statement,
    holds: statement,
    spending: statement,
  },
  JobRequested: {
    orgId: owner,
    kind: 'jobs.kind',
    url: { in: 'jobs.url', read: 'jobs.host' },
    mode: 'jobs.mode',
    lang: 'jobs.lang',
    prompt: 'jobs.prompt',
    schema,
    budget: 'jobs.budget',
    prices: { captions: 'jobs.price_captions', speech: 'jobs.price_speech' },
    lane: 'jobs.lane',
    requestHash: compared,
    idempotencyKeyHash: compared,
    windowSeconds: 'jobs.window_seconds',
    keyId: 'jobs.key_id',
    surface: 'jobs.surface',
    webhookId: 'jobs.webhook_id',
    reuse: 'jobs.reuse_would_do',
    reused: 'jobs.reused',
    batchId: 'jobs.batch_id',
    options,
  },
  StepStarted: { ...claimed, worker: 'attempts.worker', leaseSeconds: 'attempts.lost_seconds' },
  LeaseExtended: { ...claimed, leaseSeconds: 'attempts.lost_seconds' },
  StepFailed: { ...claimed, code: 'attempts.code', retryAfterSeconds: 'attempts.paused_seconds', used, readFrom },
  VideoFetched: {
    canonicalUrl: { in: 'videos.url', read: 'videos.host' },
    way: 'videos.way',
    platform: 'videos.platform',
    metadata: {
      title: 'videos.title',
      author: 'videos.author',
      viewCount: 'videos.views',
      likeCount: 'videos.likes',
      thumbnail: because('an address of a picture'),
      description: 'videos.description',
      publishedAt: 'videos.published_at',
      authorId: 'videos.author_id',
      authorUrl: 'videos.author_url',
      commentCount: 'videos.comments',
      shareCount: 'videos.shares',
      tags: 'videos.tags',
    },
    durationSeconds: 'videos.video_seconds',
    liveState: 'videos.live_state',
    captionTracks: [{ language: 'videos.caption_languages', source: numbers, format: numbers }],
    formats: numbers,
    readFrom,
  },
  CaptionsRead: { way: because('that of the video is told'), ...transcript },
  CaptionsUnavailable: { reason: 'jobs.without_captions', readFrom },
  SpeechTranscribed: {
    ...transcript,
    heard: { language: 'jobs.heard_language', probability: 'jobs.heard_probability' },
    confidence: 'jobs.confidence',
    reused: because('the attempt has then used no audio'),
    vocabularyHeeded: 'jobs.vocabulary_heeded',
  },
  ExtractionProduced: {
    result: texts,
    model: 'jobs.model',
    promptHash: compared,
    schemaHash: compared,
    framesUsed: 'jobs.frames_used',
    tokens: used.tokens,
    rounds: 'jobs.rounds',
    readFrom,
  },
  RequestsCounted: { hour: 'requests.hour', reads: 'requests.requests', refused: 'requests.requests' },
  JobCompleted: { orgId: owner, kind: 'jobs.kind', credits: because('its ledger tells what was charged') },
  JobFailed: {
    orgId: owner,
    kind: 'jobs.kind',
    code: 'jobs.code',
    message: 'jobs.message',
    used,
    unpaid: {
      tokens: { input: 'jobs.unpaid_input_tokens', output: 'jobs.unpaid_output_tokens' },
      audioSeconds: 'jobs.unpaid_audio_seconds',
    },
    readFrom,
  },
  BatchRequested: {
    orgId: owner,
    request: {
      kind: 'batches.kind',
      mode: 'batches.mode',
      lang: 'batches.lang',
      prompt: 'batches.prompt',
      schema,
      options: asked,
    },
    source: because('what it names differs by its kind; batches.is_of_source tells whether there is one'),
    since: 'batches.since',
    limit: 'batches.item_limit',
    held: 'batches.held',
    price: 'batches.price',
    keyId: 'batches.key_id',
    surface: 'batches.surface',
    webhookId: 'batches.webhook_id',
    tellsItems: 'batches.tells_items',
    skippedLines: 'batches.skipped_lines',
    requestHash: compared,
    idempotencyKeyHash: compared,
  },
  BatchItemsAdded: {
    from: 'batch_items.item',
    items: [
      {
        url: 'batch_items.url',
        platform: 'batch_items.platform',
        lines: because('places in what the caller has sent'),
      },
    ],
    isLast: because('it tells the service to go on'),
    next: because('it tells the service to go on'),
  },
  BatchItemsBegun: { items: [{ item: 'batch_items.item', attempt: 'batch_items.jobs' }] },
  BatchItemsEnded: {
    items: [
      {
        item: 'batch_items.item',
        attempt: 'batch_items.jobs',
        code: 'batch_items.code',
        charged: 'batch_items.charged',
        again: 'batch_items.ended_at',
      },
    ],
  },
  BatchCancelled: { reason: because('BatchEnded tells it'), by: 'batches.cancelled_by' },
  BatchEnded: {
    reason: 'batches.ended_because',
    completed: 'batches.completed',
    failed: 'batches.failed',
    cancelled: 'batches.cancelled',
    charged: 'batches.charged',
    returned: 'batches.returned',
    webhookId: 'batches.webhook_id',
  },
  WatchCreated: {
    orgId: owner,
    source: because('what it names differs by its kind: the events have it'),
    ...watched,
    request: {
      kind: 'watches.kind',
      mode: 'watches.mode',
      lang: 'watches.lang',
      prompt: 'watches.prompt',
      schema,
      options: asked,
    },
    backfill: 'watches.backfill',
    keyId: 'watches.key_id',
    webhookId: 'watches.webhook_id',
  },
  WatchLooked: {
    orgId: owner,
    look: 'watches.looks',
    webhookId: 'watches.webhook_id',
    found: [
      {
        id: 'watch_videos.video_id',
        url: 'watch_videos.url',
        title: 'watch_videos.title',
        publishedAt: 'watch_videos.published_at',
      },
    ],
    seen: because('ids of videos that were there before'),
    failure: 'watches.failures',
  },
  WatchJobsBegun: {
    orgId: owner,
    jobs: [
      {
        number: 'watch_videos.number',
        jobId: 'watch_videos.job_id',
        credits: 'watch_videos.credits',
        code: 'watch_videos.code',
      },
    ],
  },
  WatchChanged: { orgId: owner, ...watched },
  WatchPaused: { orgId: owner, reason: 'watches.paused_because' },
  WatchResumed: { orgId: owner },
  WatchRemoved: { orgId: owner },
  StreamsRemoved: {
    reason: because('what was removed is in no table; forgotten has its sums'),
    streams: because('what was removed is in no table; forgotten has its sums'),
  },
  WebhookCreated: { orgId: owner, kind: 'webhooks.kind', ...hooked, createdBy: 'webhooks.created_by' },
  WebhookChanged: { orgId: owner, ...hooked },
  WebhookSwitchedOff: { orgId: owner, reason: 'webhooks.off_because' },
  WebhookSwitchedOn: { orgId: owner },
  WebhookReplayAsked: { orgId: owner, sinceSeconds: because('webhooks.replays tells how many there were') },
  WebhookRemoved: { orgId: owner },
  DeliveryRequested: {
    orgId: owner,
    webhookId: 'deliveries.webhook_id',
    type: 'deliveries.tells_of',
    jobId: 'deliveries.job_id',
    batchId: 'deliveries.batch_id',
    balance: because('the ledger tells it'),
    watch: { watchId: 'deliveries.watch_id', revision: revisions },
  },
  DeliveryRepeated: {
    webhookId: 'deliveries.webhook_id',
    request: because('deliveries.repeats tells how many there were'),
  },
  DeliveryAttempted: {
    attempt: 'deliveries.attempts',
    status: 'deliveries.last_status',
    failure: 'deliveries.last_failure',
    milliseconds: 'deliveries.milliseconds',
    answer: because('text of strangers'),
    nextInSeconds: because('it tells the service to go on'),
  },
  DeliveryEnded: { webhookId: 'deliveries.webhook_id', outcome: 'deliveries.outcome' },
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
