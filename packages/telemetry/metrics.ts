import { names } from './names.ts'

/**
 * `unit` as OpenTelemetry writes it: `s`, `By`, or a counted noun in braces. `attributes`: all that its values may
 * carry. Each has few values: never jobs or URLs, and at most ten organizations, if an operator wants that.
 */
type Metric<K extends string> = {
  kind: K
  name: string
  unit: string
  meaning: string
  attributes: readonly string[]
}

export type Counter = Metric<'counter'>
/** `bounds`: upper bounds of its buckets. */
export type Histogram = Metric<'histogram'> & { bounds: readonly number[] }
export type Gauge = Metric<'gauge'>

const counter = (name: string, unit: string, meaning: string, ...attributes: string[]): Counter => ({
  kind: 'counter',
  name,
  unit,
  meaning,
  attributes,
})

const gauge = (name: string, unit: string, meaning: string, ...attributes: string[]): Gauge => ({
  kind: 'gauge',
  name,
  unit,
  meaning,
  attributes,
})

const short = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const long = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 180, 300, 600]

const histogram = (name: string, meaning: string, bounds: readonly number[], ...attributes: string[]): Histogram => ({
  kind: 'histogram',
  name,
  unit: 's',
  meaning,
  attributes,
  bounds,
})

/**
 * Every metric that the service exports. Tests compare `ops/telemetry.md` with this list, and this list with the
 * exported metrics.
 */
export const metrics = {
  requestDuration: histogram(
    'http.server.request.duration',
    'Time to answer a request, without what was waited because its caller asked to wait',
    short,
    names.httpMethod,
    names.httpRoute,
    names.httpStatus,
    names.urlScheme,
  ),
  requestsLimited: counter('video.requests.limited', '{request}', 'Requests refused by a rate limit', names.limit),

  jobsAccepted: counter('video.jobs.accepted', '{job}', 'Jobs taken on', names.kind, names.mode, names.platform),
  jobsFinished: counter(
    'video.jobs.finished',
    '{job}',
    'Jobs that ended and were settled, by outcome',
    names.kind,
    names.mode,
    names.platform,
    names.outcome,
  ),
  jobDuration: histogram(
    'video.job.duration',
    'Time from the acceptance of a job to its end',
    long,
    names.kind,
    names.mode,
    names.outcome,
  ),
  jobsOpen: gauge('video.jobs.open', '{job}', 'Jobs that are open, by age: `1m`, `5m`, `15m`, `older`', names.age),
  orchestratorOwner: gauge('video.orchestrator.owner', '{process}', '1 where this process moves the jobs on, else 0'),
  viewsOwner: gauge(
    'video.views.owner',
    '{process}',
    '1 where this process keeps the views and shows every event, else 0',
  ),
  webhooksOwner: gauge('video.webhooks.owner', '{process}', '1 where this process delivers to webhooks, else 0'),
  openDeliveries: gauge(
    'video.webhooks.deliveries.open',
    '{delivery}',
    'Deliveries to webhooks that have not ended, also those that wait for their next attempt',
  ),
  batchesOwner: gauge('video.batches.owner', '{process}', '1 where this process lets batches proceed, else 0'),
  watchesOwner: gauge('video.watches.owner', '{process}', '1 where this process looks for new videos, else 0'),
  openWatches: gauge('video.watches.open', '{watch}', 'Watches that are there, paused ones included'),
  openBatches: gauge('video.batches.open', '{batch}', 'Batches for which credits are held'),
  webhookAttempts: histogram(
    'video.webhooks.attempt.duration',
    'Time of one attempt at a delivery, over all receivers; `error_type`: why there was no answer',
    short,
    names.outcome,
    names.errorType,
  ),
  mailDuration: histogram(
    'video.mail.duration',
    'Time to hand one mail to the mail server; `sent`, or the code of what went wrong',
    short,
    names.outcome,
    names.serverAddress,
  ),
  jobsWindow: gauge('video.jobs.window', 's', 'How long a job has from its acceptance on: JOB_WINDOW_SECONDS'),
  jobsOverdue: gauge('video.jobs.overdue', '{job}', 'Jobs that are still open after their deadline'),
  deadlinesMissed: counter(
    'video.deadlines.missed',
    '{job}',
    'Jobs that did not end before their deadline',
    names.kind,
  ),
  organizationsFailing: gauge(
    'video.organizations.failing',
    '{organization}',
    'Organizations with a failed job in the last five minutes, without failures that are about the video',
  ),

  busiestOrganizations: gauge(
    'video.organizations.busiest',
    '{job}',
    'Jobs of the last five minutes, of the ten organizations with the most; only where METRICS_BUSIEST_ORGANIZATIONS is `on`',
    names.orgId,
  ),

  stepDuration: histogram('video.step.duration', 'Time of one attempt of a step', long, names.step, names.outcome),
  stepWait: histogram(
    'video.step.wait',
    'Time from when a step is due to when it is claimed',
    long,
    names.step,
    names.lane,
  ),
  stepsRetried: counter(
    'video.steps.retried',
    '{attempt}',
    'Attempts that failed and whose step is tried again',
    names.step,
    names.outcome,
  ),
  leasesExpired: counter('video.leases.expired', '{lease}', 'Claims whose lease ran out before they ended', names.step),
  queueDepth: gauge('video.queue.depth', '{step}', 'Steps that are due and not claimed', names.step, names.lane),
  queueOldest: gauge('video.queue.oldest', 's', 'How long the oldest such step has been due', names.step, names.lane),
  tasksPublished: counter(
    'video.tasks.published',
    '{task}',
    'Tasks published to the work queue',
    names.step,
    names.lane,
    names.isRepublished,
  ),
  deadLetters: counter(
    'video.dead_letters',
    '{message}',
    'Messages set aside because they cannot be handled',
    names.step,
  ),

  creditsMoved: counter(
    'video.credits.moved',
    '{credit}',
    'Credits `debited`, and of those `charged` and `refunded`',
    names.creditsOperation,
    names.kind,
  ),
  creditsUnsettled: gauge('video.credits.unsettled', '{credit}', 'Credits debited for jobs that are not settled'),
  creditsUnsettledOldest: gauge(
    'video.credits.unsettled.oldest',
    's',
    'How long the oldest such debit has been open past the end of its job, or past its deadline',
  ),

  paceWaiting: gauge(
    'video.pace.waiting',
    '{read}',
    'Reads that wait for the pace of their platform, those of jobs that come back included',
    names.platform,
  ),
  paceRefused: counter(
    'video.pace.refused',
    '{read}',
    'Reads whose turn was too far off: answered 503, or given back by their job until then',
    names.platform,
  ),
  paceJobsRefused: counter(
    'video.pace.jobs_refused',
    '{job}',
    'Jobs refused because their first read would wait for more than a third of their window',
    names.platform,
  ),
  readDuration: histogram(
    'video.read.duration',
    'Time of one read of a platform, a direct file or a search',
    long,
    names.platform,
    names.operation,
    names.outcome,
    names.way,
    names.egressRoute,
  ),
  readerWarnings: counter(
    'video.reader.warnings',
    '{warning}',
    'Warnings of yt-dlp by what they mean; captions that a platform holds back are `captions_withheld`',
    names.platform,
    names.meaning,
  ),
  breakers: gauge(
    'video.breakers',
    '{breaker}',
    'Breakers that are `open` or `half-open`: exits that a platform refuses',
    names.platform,
    names.breakerState,
  ),
  accountsResting: gauge(
    'video.accounts.resting',
    '{account}',
    'Accounts of the operator that are spared for a while',
    names.platform,
  ),
  cacheLookups: counter('video.cache.lookups', '{lookup}', 'Lookups in a cache', names.cache, names.isHit),
  mediaCacheSize: gauge('video.media_cache.size', 'By', 'Size of the media cache'),
  workersInUse: gauge('video.workers.in_use', '{worker}', 'Worker processes that exist now', names.pool),
  workersKilled: counter(
    'video.workers.failed',
    '{worker}',
    'Workers that died, hung or wrote garbage, and were replaced',
    names.pool,
  ),
  workerDuration: histogram('video.worker.duration', 'Time of one task of a worker process', long, names.pool),
  modelDuration: histogram(
    'gen_ai.client.operation.duration',
    'Time of one call of the language model',
    long,
    names.genAiOperation,
    names.genAiModel,
    names.genAiProvider,
    names.serverAddress,
    names.errorType,
  ),
  modelTokens: counter(
    'video.model.tokens',
    '{token}',
    'Tokens to (`input`) and from (`output`) the language model',
    names.genAiTokenType,
  ),
  speechSeconds: counter('video.speech.transcribed', 's', 'Seconds of sound transcribed'),
  speechCallDuration: histogram(
    'video.speech.call.duration',
    'Time of one call of the speech endpoint',
    long,
    names.outcome,
    names.serverAddress,
  ),
  speechCallSound: counter(
    'video.speech.call.sound',
    's',
    'Seconds of sound sent to the speech endpoint in such calls',
    names.outcome,
    names.serverAddress,
  ),

  appendDuration: histogram(
    'video.append.duration',
    'Time of one append to the event store',
    short,
    names.dbCollection,
    names.outcome,
  ),
  feedLag: gauge(
    'video.feed.lag',
    's',
    'For how long a follower has been behind the feed; 0: it has caught up',
    names.follower,
  ),
  viewsDuration: histogram(
    'video.views.duration',
    'Time of one batch that is applied to the views',
    short,
    names.outcome,
  ),
  streamsRemoved: counter(
    'video.streams.removed',
    '{stream}',
    'Streams that were removed from the events, such as those of jobs',
    names.removalReason,
  ),
  sweepAge: gauge(
    'video.sweep.age',
    's',
    'Time since the last sweep that went well, or since the start; 0: RETENTION_DAYS is not set',
  ),
  dependencyUp: gauge(
    'video.dependency.up',
    '{dependency}',
    '1 where something that the service needs answers, else 0: the lines of /ready',
    names.dependency,
  ),
  diskFree: gauge(
    'video.disk.free',
    'By',
    'Free space of the disk that holds `data` (DATA_DIR), `media` or `archive` (EXPORT_DIR)',
    names.folder,
  ),
  diskSize: gauge('video.disk.size', 'By', 'Size of that disk', names.folder),
  logLinesLost: counter(
    'video.log.lost',
    '{line}',
    'Lines of the log that could not be written: a full disk, or a reader that is gone or too slow',
  ),
  clockAhead: gauge(
    'video.clock.ahead',
    's',
    'How far the newest recorded time lies ahead of the clock of this process',
  ),

  loopDelay: gauge('nodejs.eventloop.delay.max', 's', 'The longest delay of the event loop since the last export'),
  loopUtilization: gauge(
    'nodejs.eventloop.utilization',
    '1',
    'Share of the time since the last export in which the event loop was busy',
  ),
  memory: gauge('process.memory.usage', 'By', 'Memory of the process'),
  cpu: counter('process.cpu.time', 's', 'Processor time of the process'),
  buildInfo: gauge(
    'video.build_info',
    '{process}',
    'Always 1; its attributes say what runs',
    names.version,
    names.deployment,
  ),
} as const
