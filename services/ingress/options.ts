import type { Plan } from '#packages/domain/credits/plans.ts'
import { plans } from '#packages/domain/credits/plans.ts'

/** Every limit of the ingress. */
export type IngressOptions = {
  /** The window of a job, seconds (JOB_WINDOW_SECONDS). */
  windowSeconds: number
  /** The largest body, bytes. */
  maxBodyBytes: number
  /** Whether a language model is configured: without one no extraction is taken on. */
  extracts: boolean
  /** Minutes of sound transcribed in a day (UTC) after which no job is taken on that may need more; undefined: no end. */
  speechMinutesPerDay: number | undefined
  /** Tokens to and from the language model in a day (UTC) after which no extraction is taken on; undefined: no end. */
  llmTokensPerDay: number | undefined
  /** How long appends of one request are tried again, milliseconds. */
  giveUpAfterMs: number
  /** Requests a minute and organization. */
  rates: { light: number; polls: number; heavy: Record<Plan, number> }
  /** Answers that last, calls of tools and event streams, open at once. */
  maxLastingAnswers: { perKey: number; perOrganization: number }
  /** Wrong keys a minute that one remote address is told 401 for; beyond them 429. */
  wrongKeysPerMinute: number
  /** Keys, organizations and plans kept in memory, each. */
  cachedEntries: number
  /** How long the plan of an organization, the state of the lanes and the use of a day may be remembered, milliseconds. */
  staleAfterMs: number
  /** Active keys of one organization. */
  maxKeys: number
  /** How long POST and DELETE of keys wait for the keys view, milliseconds. */
  keysViewTimeoutMs: number
  /** The whole of a read of the outside that a caller waits for, milliseconds. */
  readTimeoutMs: number
  /** Such reads under way at once. */
  maxReads: number
  /** Of one organization: slow hosts of one customer leave room for the others. */
  maxReadsPerOrganization: number
  /** Answers of ended jobs kept in memory, characters. */
  endedJobsCharacters: number
  /** How long such an answer may be given again after its job was removed, milliseconds. */
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
  /** Open connections. One more ends one that nobody waits for, or itself where there is none. */
  maxConnections: number
  /**
   * Connections that the system holds until they are taken in, at most its own limit (somaxconn). Beyond them a caller's
   * attempt is lost, and repeated a second later.
   */
  maxUnaccepted: number
  /** Likewise of one remote address (MAX_CONNECTIONS_PER_ADDRESS): of an IPv6 address, of its /64. */
  maxConnectionsPerAddress: number
  /** Requests of one connection that wait for the answer to another one; beyond them the connection is ended. */
  maxPipelined: number
  /** Such requests of all connections together; beyond them those are ended that send more. */
  maxPipelinedOfAll: number
  /** From so many such requests on, no more of a connection is read until there are fewer. */
  readAheadRequests: number
  /** What the system may hold of answers that were perhaps not read, for all connections, bytes. */
  maxUnreadBytes: number
  /** Likewise for the connections of one remote address. */
  maxUnreadBytesPerAddress: number
  /** How long bytes of an answer may wait of which the peer takes none, milliseconds. */
  answerStallMs: number
  /** From the first byte of an answer to its last, milliseconds; event streams have no last one. */
  answerTimeoutMs: number
  /** What is read and dropped of a body whose request was answered before it had come, bytes. */
  maxDroppedBytes: number
  /** How long the peer's side of a connection may stay open when ours is closed, milliseconds. */
  lingerMs: number
  /** All headers of one request, bytes. */
  maxHeaderBytes: number
  /** How long requests under way are given to end when the server is closed, milliseconds. */
  drainMs: number
}

export const ingressDefaults: IngressOptions = {
  windowSeconds: 180,
  maxBodyBytes: 64 * 1024,
  extracts: false,
  speechMinutesPerDay: undefined,
  llmTokensPerDay: undefined,
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
  maxLastingAnswers: { perKey: 10, perOrganization: 40 },
  wrongKeysPerMinute: 100,
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
