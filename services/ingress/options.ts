import type { OwnPage } from '#packages/config/own-pages.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import { pocketsphinxTraits, type SpeechTraits } from '#packages/speech/traits.ts'

/** The video of the examples, as the documentation is written. */
export const writtenVideo = 'https://www.youtube.com/watch?v=jNQXAC9IVRw'

/** What is said in it, as the answers of the documentation quote it. */
export const writtenWords = 'All right, so here we are, in front of the elephants.'

/** Every limit of the ingress. */
export type IngressOptions = {
  /** Where callers reach the service, without a slash at its end (PUBLIC_URL); undefined: where it listens, on loopback. */
  publicUrl: string | undefined
  /** In the documentation: examples as they are written, by the ones that it shows (EXAMPLE_URL, `--sandbox`). */
  examples: Readonly<Record<string, string>>
  /** Whether the outside world is the sandbox: the documentation says so. */
  isSandbox: boolean
  /** At the foot of the documentation. */
  ownPages: readonly OwnPage[]
  /** The header in which a proxy names the caller's address (CLIENT_ADDRESS_HEADER), in small letters; undefined: there is none. */
  clientAddressHeader: string | undefined
  /** The window of a job, seconds (JOB_WINDOW_SECONDS). */
  windowSeconds: number
  /** Origins of pages that may call `/v1` (CORS_ORIGINS). */
  corsOrigins: readonly string[]
  /** Whether webhooks may have `http` URLs (WEBHOOKS_ALLOW_HTTP). */
  webhooksAllowHttp: boolean
  /** The largest body, bytes. */
  maxBodyBytes: number
  /** The largest body of a request for a batch, bytes; on the plan Free `maxBodyBytes`. */
  maxBatchBytes: number
  /** Items of one batch on the plan Pro (BATCH_MAX_ITEMS). */
  batchMaxItems: number
  /** Whether a language model is configured: without one extractions are refused. */
  extracts: boolean
  /** Of the configured speech engine. */
  speech: SpeechTraits
  /** Minutes of sound transcribed in a day (UTC) after which jobs that may need more are refused; undefined: no cap. */
  speechMinutesPerDay: number | undefined
  /** Tokens to and from the language model in a day (UTC) after which extractions are refused; undefined: no cap. */
  llmTokensPerDay: number | undefined
  /** The part of each of these caps that one organization may use up; undefined: half of it where others used it. */
  capSharePerOrganization: number | undefined
  /** How many days usage is told back, where older events leave the store (RETENTION_DAYS); undefined: they stay. */
  retentionDays: number | undefined
  /** How long appends of one request are tried again, milliseconds. */
  giveUpAfterMs: number
  /** Requests of one organization in a minute. */
  rates: { light: number; polls: number; heavy: Record<Plan, number> }
  /** Lasting answers (calls of tools, event streams) open at once. */
  maxLastingAnswers: { perKey: number; perOrganization: number; inAll: number }
  /** Requests of one remote address in a minute that carry no known key or session; those to sign in count apart. */
  anonymousPerMinute: number
  /** Keys, organizations and plans kept in memory, each. */
  cachedEntries: number
  /** How long the plan of an organization, the state of the lanes and the use of a day may be cached, milliseconds. */
  staleAfterMs: number
  /** Active keys of one organization. */
  maxKeys: number
  /** How long POST and DELETE of keys wait for the keys view, milliseconds. */
  keysViewTimeoutMs: number
  /** Time limit of a lookup (metadata, search, profile), milliseconds. */
  readTimeoutMs: number
  /** Lookups under way at once. */
  maxReads: number
  /** Lookups of one organization at once: slow hosts of one customer leave room for the others. */
  maxReadsPerOrganization: number
  /** Answers of ended jobs kept in memory, characters. */
  endedJobsCharacters: number
  /** How long such an answer is cached, milliseconds: a removed job may be shown for so long. */
  endedJobsValidMs: number
  /** The longest `Prefer: wait`, seconds. */
  maxWaitSeconds: number
  /** How often an idempotency key may be used again after its 24 hours. */
  maxKeyUses: number
  server: ServerOptions
}

export type ServerOptions = {
  /** From the first byte to the end of the headers, milliseconds. */
  headersTimeoutMs: number
  /** From the first byte to the end of the body, milliseconds. */
  requestTimeoutMs: number
  /** How long an idle connection is kept, milliseconds. */
  keepAliveTimeoutMs: number
  /** Open connections. One more takes the place of a dispensable one, or is closed where there is none. */
  maxConnections: number
  /**
   * Connections that wait in the system's backlog until they are accepted; the system's own limit (somaxconn) applies too.
   * Beyond it a caller's SYN is dropped, and its system tries again a second later.
   */
  maxUnaccepted: number
  /** Open connections of one remote address, or of one IPv6 /64 (MAX_CONNECTIONS_PER_ADDRESS). */
  maxConnectionsPerAddress: number
  /** Requests of one connection that wait for the answer to another one; with more the connection is closed. */
  maxPipelined: number
  /** Such requests of all connections together; beyond them a connection that sends another one is closed. */
  maxPipelinedOfAll: number
  /** A connection with this many such requests is not read from until it has fewer. */
  readAheadRequests: number
  /** Bytes of answers that peers may not have read yet and the system may hold, of all connections. */
  maxUnreadBytes: number
  /** The same for the connections of one remote address. */
  maxUnreadBytesPerAddress: number
  /** How long a peer may read nothing of its answer, milliseconds. */
  answerStallMs: number
  /** From the first byte of an answer to its last, milliseconds; event streams are exempt. */
  answerTimeoutMs: number
  /** The most bytes of a body that are read and dropped after its request was answered. */
  maxDroppedBytes: number
  /** How long the peer may leave its side of a connection open after we closed ours, milliseconds. */
  lingerMs: number
  /** All headers of one request, bytes. */
  maxHeaderBytes: number
  /** How long requests under way are given to end when the server is closed, milliseconds. */
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
  keysViewTimeoutMs: 2000,
  readTimeoutMs: 15_000,
  maxReads: 32,
  maxReadsPerOrganization: 4,
  endedJobsCharacters: 16 * 1024 * 1024,
  endedJobsValidMs: 60_000,
  maxWaitSeconds: 60,
  maxKeyUses: 1000,
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
