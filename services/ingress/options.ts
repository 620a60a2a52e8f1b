import { pocketsphinxTraits, type SpeechTraits } from '#packages/content/speech/traits.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import type { OwnPage } from '#packages/foundation/config/own-pages.ts'

/** The video in the examples of the documentation, as written. */
export const writtenVideo = 'https://www.youtube.com/watch?v=jNQXAC9IVRw'

/** The words spoken in it, as quoted by the answers in the documentation. */
export const writtenWords = 'All right, so here we are, in front of the elephants.'

/** Every limit of the ingress. */
export type IngressOptions = {
  /**
   * The URL at which callers reach the service, without a slash at its end (PUBLIC_URL). Undefined: the address at
   * which it listens, on loopback.
   */
  publicUrl: string | undefined
  /** Replacements for the examples in the documentation: written value to shown value (EXAMPLE_URL, `--sandbox`). */
  examples: Readonly<Record<string, string>>
  /** True if the outside world is the sandbox. The documentation says so. */
  isSandbox: boolean
  /** Links at the foot of the documentation. */
  ownPages: readonly OwnPage[]
  /** The lower-case header with the caller's address from a proxy (CLIENT_ADDRESS_HEADER); undefined: no such proxy. */
  clientAddressHeader: string | undefined
  /** The window of a job, seconds (JOB_WINDOW_SECONDS). */
  windowSeconds: number
  /** Origins of pages that may call `/v1` (CORS_ORIGINS). */
  corsOrigins: readonly string[]
  /** True if webhooks may have `http` URLs (WEBHOOKS_ALLOW_HTTP). */
  webhooksAllowHttp: boolean
  /** The largest body, bytes. */
  maxBodyBytes: number
  /** The largest body of a request for a batch, bytes. On the plan Free, `maxBodyBytes` applies. */
  maxBatchBytes: number
  /** The most items of one batch on the plan Pro (BATCH_MAX_ITEMS). */
  batchMaxItems: number
  /** True if a language model is configured. Extractions are refused otherwise. */
  extracts: boolean
  /** Traits of the configured speech engine. */
  speech: SpeechTraits
  /** Minutes of sound transcribed per day (UTC) after which jobs that may need more are refused; undefined: no cap. */
  speechMinutesPerDay: number | undefined
  /** Tokens to and from the language model per day (UTC) after which extractions are refused; undefined: no cap. */
  llmTokensPerDay: number | undefined
  /** The fraction of each of these caps that one organization may use; undefined: half of it, if others use it too. */
  capSharePerOrganization: number | undefined
  /** How many days back usage is reported if older events leave the store (RETENTION_DAYS); undefined: no limit. */
  retentionDays: number | undefined
  /** How long the appends of one request are retried, milliseconds. */
  giveUpAfterMs: number
  /** Requests of one organization per minute. */
  rates: { light: number; polls: number; heavy: Record<Plan, number> }
  /** Lasting answers (tool calls, event streams) open at once. */
  maxLastingAnswers: { perKey: number; perOrganization: number; inAll: number }
  /**
   * Requests per minute of one remote address without a known key or session. Sign-in requests are counted separately.
   */
  anonymousPerMinute: number
  /** The most keys, organizations and plans kept in memory, each. */
  cachedEntries: number
  /** How long to cache the plan of an organization, the state of the lanes and the use of a day, milliseconds. */
  staleAfterMs: number
  /** The most active keys of one organization. */
  maxKeys: number
  /** Time limit of a lookup (metadata, search, profile), milliseconds. */
  readTimeoutMs: number
  /** The most lookups in progress at once. */
  maxReads: number
  /** The most lookups of one organization at once, so that one customer's slow hosts leave room for others. */
  maxReadsPerOrganization: number
  /** The size of the cache for answers of ended jobs, characters. */
  endedJobsCharacters: number
  /** How long the answer of an ended job is cached, milliseconds. A removed job may be shown for this long. */
  endedJobsValidMs: number
  /** The longest `Prefer: wait`, seconds. */
  maxWaitSeconds: number
  server: ServerOptions
}

export type ServerOptions = {
  /** Time limit from the first byte to the end of the headers, milliseconds. */
  headersTimeoutMs: number
  /** Time limit from the first byte to the end of the body, milliseconds. */
  requestTimeoutMs: number
  /** How long an idle connection is kept, milliseconds. */
  keepAliveTimeoutMs: number
  /** The most open connections. A further one replaces a dispensable one, or is closed if there is none. */
  maxConnections: number
  /**
   * Connections that wait in the backlog of each listening socket until they are accepted. The system's own limit
   * (somaxconn) applies too. Beyond it a caller's SYN is dropped, and its system retries a second later.
   */
  maxUnaccepted: number
  /** The most open connections of one remote address, or of one IPv6 /64 (MAX_CONNECTIONS_PER_ADDRESS). */
  maxConnectionsPerAddress: number
  /**
   * The most requests of one connection that wait for the answer to an earlier one. Beyond it the connection is closed.
   */
  maxPipelined: number
  /**
   * The most pipelined requests of all connections together. Beyond it a connection that sends another one is closed.
   */
  maxPipelinedOfAll: number
  /** A connection with this many pipelined requests is not read until it has fewer. */
  readAheadRequests: number
  /** The most bytes of answers that peers may not have read yet and the system may hold, over all connections. */
  maxUnreadBytes: number
  /** The most such bytes over the connections of one remote address. */
  maxUnreadBytesPerAddress: number
  /** How long a peer may read nothing of its answer, milliseconds. */
  answerStallMs: number
  /** Time limit from the first byte of an answer to its last, milliseconds. Event streams are exempt. */
  answerTimeoutMs: number
  /** The most bytes of a body that are read and dropped after its request was answered. */
  maxDroppedBytes: number
  /** How long the peer may leave its side of a connection open after we closed ours, milliseconds. */
  lingerMs: number
  /** The size limit of all headers of one request, bytes. */
  maxHeaderBytes: number
  /** How long requests in progress may take to end when the server is closed, milliseconds. */
  drainMs: number
}

export const ingressDefaults: IngressOptions = {
  publicUrl: undefined,
  examples: {},
  isSandbox: false,
  ownPages: [],
  clientAddressHeader: undefined,
  windowSeconds: 180,
  corsOrigins: [],
  webhooksAllowHttp: false,
  maxBodyBytes: 64 * 1024,
  maxBatchBytes: 10_000_000,
  batchMaxItems: plans.pro.batchItems,
  extracts: false,
  speech: pocketsphinxTraits,
  speechMinutesPerDay: undefined,
  llmTokensPerDay: undefined,
  capSharePerOrganization: undefined,
  retentionDays: undefined,
  giveUpAfterMs: 5000,
  rates: {
    light: 120,
    polls: 600,
    heavy: {
      free: plans.free.heavyRequestsPerMinute,
      starter: plans.starter.heavyRequestsPerMinute,
      pro: plans.pro.heavyRequestsPerMinute,
    },
  },
  maxLastingAnswers: { perKey: 10, perOrganization: 40, inAll: 1000 },
  anonymousPerMinute: 600,
  cachedEntries: 10_000,
  staleAfterMs: 1000,
  maxKeys: 1000,
  readTimeoutMs: 15_000,
  maxReads: 32,
  maxReadsPerOrganization: 4,
  endedJobsCharacters: 16 * 1024 * 1024,
  endedJobsValidMs: 60_000,
  maxWaitSeconds: 60,
  server: {
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 30_000,
    keepAliveTimeoutMs: 60_000,
    maxConnections: 10_000,
    maxUnaccepted: 4096,
    maxConnectionsPerAddress: 2000,
    maxPipelined: 512,
    maxPipelinedOfAll: 8192,
    readAheadRequests: 16,
    maxUnreadBytes: 512 * 1024 * 1024,
    maxUnreadBytesPerAddress: 128 * 1024 * 1024,
    answerStallMs: 15_000,
    answerTimeoutMs: 120_000,
    maxDroppedBytes: 16 * 1024 * 1024,
    lingerMs: 2000,
    maxHeaderBytes: 16 * 1024,
    drainMs: 5000,
  },
}
