import { randomUUID } from 'node:crypto'
import { debit } from '#packages/domain/credits/credits.fixture.ts'
import { type CreditsCommand, decideTogether, inMonthOf } from '#packages/domain/credits/credits.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import type { JobEvent } from '#packages/domain/job/events.ts'
import { noOptions } from '#packages/domain/job/events.ts'
import { pricesOf } from '#packages/domain/job/price.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { EventStore, NewEvent } from '#packages/ports/event-store.ts'
import { eventId, streams } from '#packages/ports/ids.ts'
import { NO_CAPTIONS, transcript, VIDEO_URL, video } from './noop-steps.ts'

export const HASH = '0'.repeat(64)
export const TRACEPARENT = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
const SEGMENTS = 8
const LEASE_SECONDS = 30

/** An organization's credits in the store, and their revision, while its past is written. */
export type Account = { orgId: string; credits: Ledger; revision: number }

export const metadataOf = (orgId: string, jobId: string) => ({
  orgId,
  correlationId: jobId,
  causationId: jobId,
  traceparent: TRACEPARENT,
})

/** Records an event with the id that the service would have given it. @param index its index in the append */
export const recorded = (event: DomainEvent, stream: string, orgId: string, jobId: string, index = 0): NewEvent => {
  const step = event.type === 'CreditsRenewed' ? `${event.type}/${jobId}/${index}` : event.type
  const id = event.type === 'StepStarted' ? randomUUID() : eventId(stream, step, event.data)
  return { ...event, id, metadata: metadataOf(orgId, jobId) }
}

export const requested = (orgId: string, url = VIDEO_URL): DomainEvent<'JobRequested'> => ({
  type: 'JobRequested',
  data: {
    orgId,
    kind: 'transcript',
    url,
    mode: 'auto',
    lang: null,
    prompt: null,
    schema: null,
    keyId: null,
    surface: 'api',
    webhookId: null,
    reuse: false,
    reused: null,
    batchId: null,
    options: noOptions,
    budget: 5,
    prices: pricesOf('transcript'),
    lane: 'priority',
    requestHash: HASH,
    idempotencyKeyHash: null,
    windowSeconds: 3600,
  },
})

export const started = (step: 'fetch' | 'caption' | 'speech-to-text'): JobEvent => ({
  type: 'StepStarted',
  data: { step, attempt: 1, worker: 'bench', leaseSeconds: LEASE_SECONDS },
})

const wholeJob = (orgId: string): JobEvent[] => [
  requested(orgId),
  started('fetch'),
  { type: 'VideoFetched', data: video },
  started('caption'),
  { type: 'CaptionsUnavailable', data: NO_CAPTIONS },
  started('speech-to-text'),
  { type: 'SpeechTranscribed', data: transcript(SEGMENTS) },
  { type: 'JobCompleted', data: { orgId, kind: 'transcript', credits: 5 } },
]

/** Writes jobs of the past directly into a store, as the service would have left them. Returns the number of events. */
export class PastJobs {
  readonly #store: EventStore

  constructor(store: EventStore) {
    this.#store = store
  }

  /** Jobs of one organization that have ended and are settled. */
  async ended(account: Account, count: number): Promise<number> {
    const ids = Array.from({ length: count }, () => randomUUID())
    const debited = await this.#ledger(account, ids.map(debitOf))
    const written = await Promise.all(ids.map((jobId) => this.#job(account.orgId, jobId, wholeJob(account.orgId))))
    const settled = await this.#ledger(
      account,
      ids.map((jobId) => ({ type: 'settle', jobId, charged: 5, reason: 'completed' })),
    )
    return debited + settled + written.reduce((sum, events) => sum + events, 0)
  }

  /** Jobs that are only requested. Returns their ids. */
  async open(account: Account, count: number, url: string): Promise<string[]> {
    const ids = Array.from({ length: count }, () => randomUUID())
    await this.#ledger(account, ids.map(debitOf))
    await Promise.all(ids.map((jobId) => this.#job(account.orgId, jobId, [requested(account.orgId, url)])))
    return ids
  }

  async #job(orgId: string, jobId: string, events: JobEvent[]): Promise<number> {
    const stream = streams.job(jobId)
    const all = events.map((event) => recorded(event, stream, orgId, jobId))
    await this.#store.append(stream, 'no-stream', all)
    return all.length
  }

  async #ledger(account: Account, commands: CreditsCommand[]): Promise<number> {
    const { events, owners, after } = decideTogether(commands, inMonthOf(account.credits, Date.now()))
    const stream = streams.credits(account.orgId)
    const all = events.map((event, index) => {
      const command = commands[owners[index] ?? 0]
      const jobId = command !== undefined && 'jobId' in command ? command.jobId : account.orgId
      return recorded(event, stream, account.orgId, jobId, index)
    })
    const { revision } = await this.#store.append(stream, account.revision, all)
    account.revision = revision
    account.credits = after
    return all.length
  }
}

export const debitOf = (jobId: string): CreditsCommand => debit(jobId, 5, 1)
