/** A process that has nothing but the client of the event store, and appends what an accepted job is made of. */
import { randomUUID } from 'node:crypto'
import { EventStoreDBClient, type JSONEventType, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { allOf } from '../kit/all-of.ts'
import { median } from '../kit/percentiles.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { VIDEO_URL } from './noop-steps.ts'

export type RawOpening = {
  url: string
  /** The client's path of one call for each append, which the service takes; otherwise one stream for all of them. */
  unary: boolean
}

type Raw = JSONEventType<string, Record<string, unknown>, Record<string, string>>

const HASH = '0'.repeat(64)

let client: EventStoreDBClient
let path: { credentials?: { username: string; password: string }; deadline: number } = { deadline: 10_000 }

function open({ url, unary }: RawOpening): void {
  client = EventStoreDBClient.connectionString(url)
  if (unary) path = { ...path, credentials: { username: 'nobody', password: '' } }
}

const eventOf = (type: string, jobId: string, data: Raw['data']) =>
  jsonEvent<Raw>({
    id: randomUUID(),
    type,
    data,
    metadata: {
      orgId: 'bench',
      correlationId: jobId,
      causationId: jobId,
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    },
  })

/** As large as the events of the service. */
const debited = (jobId: string) =>
  eventOf('CreditsDebited', jobId, { jobId, credits: 5, operation: 'transcript', requestHash: HASH })

const requested = (jobId: string) =>
  eventOf('JobRequested', jobId, {
    orgId: randomUUID(),
    kind: 'transcript',
    url: VIDEO_URL,
    mode: 'auto',
    lang: null,
    prompt: null,
    schema: null,
    budget: 5,
    lane: 'priority',
    requestHash: HASH,
    idempotencyKeyHash: null,
    windowSeconds: 3600,
  })

/** Two appends for each job, the second after the first is answered. @returns jobs a second */
async function pairs({ jobs, atOnce }: { jobs: number; atOnce: number }): Promise<number> {
  const ledgers = Array.from({ length: atOnce }, () => ({ stream: `raw-ledger-${randomUUID()}`, revision: -1n }))
  const from = performance.now()
  await allOf(jobs, atOnce, async () => {
    // No more than `atOnce` are under way, so one is free.
    const ledger = ledgers.pop() as (typeof ledgers)[number]
    const jobId = randomUUID()
    const expectedRevision = ledger.revision < 0n ? NO_STREAM : ledger.revision
    const answer = await client.appendToStream(ledger.stream, debited(jobId), { ...path, expectedRevision })
    ledger.revision = answer.nextExpectedRevision
    ledgers.push(ledger)
    await client.appendToStream(`raw-job-${jobId}`, requested(jobId), { ...path, expectedRevision: NO_STREAM })
  })
  return (jobs * 1000) / (performance.now() - from)
}

/** Appends of one event, one after the other. @returns the median, milliseconds */
async function oneByOne(count: number): Promise<number> {
  const taken: number[] = []
  for (let n = 0; n < count; n++) {
    const jobId = randomUUID()
    const from = performance.now()
    await client.appendToStream(`raw-job-${jobId}`, requested(jobId), { ...path, expectedRevision: NO_STREAM })
    taken.push(performance.now() - from)
  }
  return median(taken)
}

serveCalls({ open, pairs, oneByOne }, async () => client?.dispose())
