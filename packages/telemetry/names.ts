/** The service's name: the namespace of its processes, and the scope of everything they export. */
export const NAME = 'video-intelligence'

/** The release of the conventions that the names below follow, for backends. */
export const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.45.0'

/**
 * Names of attributes. Most are those of OpenTelemetry's semantic conventions (1.45). Names under `messaging`, `db` and
 * `gen_ai` are not stable in the package, so they are written out. Ours are under `video`.
 */
export const names = {
  errorType: 'error.type',
  /** True on every failed span: Jaeger's search cannot filter by status (`error=true`) if it keeps traces in memory. */
  isFailed: 'video.failed',
  serverAddress: 'server.address',

  urlPath: 'url.path',
  urlScheme: 'url.scheme',
  httpMethod: 'http.request.method',
  httpRoute: 'http.route',
  httpStatus: 'http.response.status_code',

  messagingSystem: 'messaging.system.name',
  messagingOperation: 'messaging.operation.name',
  messagingOperationType: 'messaging.operation.type',
  messagingDestination: 'messaging.destination.name',

  dbSystem: 'db.system.name',
  dbOperation: 'db.operation.name',
  dbCollection: 'db.collection.name',

  genAiProvider: 'gen_ai.provider.name',
  genAiOperation: 'gen_ai.operation.name',
  genAiModel: 'gen_ai.request.model',
  genAiInputTokens: 'gen_ai.usage.input_tokens',
  genAiOutputTokens: 'gen_ai.usage.output_tokens',
  genAiTokenType: 'gen_ai.token.type',

  jobId: 'video.job.id',
  orgId: 'video.org.id',
  requestId: 'video.request.id',
  kind: 'video.job.kind',
  mode: 'video.job.mode',
  platform: 'video.platform',
  /** `completed`, or the code of the failure. */
  outcome: 'video.outcome',
  step: 'video.step',
  lane: 'video.lane',
  attempt: 'video.attempt',
  /** The kind of read from a platform: `details`, `captions`, `media`, `search`, `profile`. */
  operation: 'video.operation',
  /** How a platform's videos are read: `yt-dlp`, `innertube`. */
  way: 'video.read.way',
  /** The kind of egress route: `direct`, `proxy`, `platform_proxy`. */
  egressRoute: 'video.egress.route',
  cache: 'video.cache',
  isHit: 'video.cache.hit',
  pool: 'video.pool',
  follower: 'video.follower',
  dependency: 'video.dependency',
  /**
   * The limit that refused a request: `light`, `polls`, `heavy`, `exchanges`, `anonymous`, `sign_in`, `concurrency`.
   */
  limit: 'video.limit',
  age: 'video.age',
  /** The folder on disk: `data` (DATA_DIR), `archive` (EXPORT_DIR), `media`. */
  folder: 'video.folder',
  tool: 'video.tool',
  /** The meaning of a yt-dlp warning, such as `captions_withheld`. */
  meaning: 'video.warning.meaning',
  /** Length of a call's sound, seconds. */
  audioSeconds: 'video.audio.seconds',
  isRepublished: 'video.task.republished',
  breakerState: 'video.breaker.state',
  /** Why streams were removed: `forgotten`, `retention`. */
  removalReason: 'video.removal.reason',
  creditsOperation: 'video.credits.operation',
  version: 'video.version',
  deployment: 'video.mode',
} as const
