/** A process that has nothing but the client of the event store, and appends what an accepted job is made of. */
import { randomUUID } from 'node:crypto'
import { EventStoreDBClient, type JSONEventType, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { allOf } from '../kit/all-of.ts'
import { median } from '../kit/percentiles.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { HASH, metadataOf, requested } from './past-jobs.ts'

export type RawOpening = {
  url: string
  /** One call for each append, as the service does; otherwise one stream for all of them. */
  unary: boolean
}

type Raw = JSONEventType<string, Record<string, unknown>, Record<string, string>>

let client: EventStoreDBClient
let path: { credentials?: { username: string; password: string }; deadline: number } = { deadline: 10_000 }

function open({ url, unary }: RawOpening): void {
  client = EventStoreDBClient.connectionString(url)
  if (unary) path = { ...path, credentials: { username: 'nobody', password: '' } }
}

const eventOf = ({ type, data }: { type: string; data: object }, jobId: string) =>
  jsonEvent<Raw>({ id: randomUUID(), type, data: { ...data }, metadata: metadataOf('bench', jobId) })

/** As large as the events of the service. */
const debited = (jobId: string) => {
  const data = { jobId, credits: 5, operation: 'transcript', requestHash: HASH }
  return eventOf({ type: 'CreditsDebited', data }, jobId)
}

const jobRequested = (jobId: string) => eventOf(requested(randomUUID()), jobId)

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
    await client.appendToStream(`raw-job-${jobId}`, jobRequested(jobId), { ...path, expectedRevision: NO_STREAM })
  })
  return (jobs * 1000) / (performance.now() - from)
}

/** Appends of one event, one after the other. @returns the median, milliseconds */
async function oneByOne(count: number): Promise<number> {
  const taken: number[] = []
  for (let n = 0; n < count; n++) {
    const jobId = randomUUID()
    const from = performance.now()
    await client.appendToStream(`raw-job-${jobId}`, jobRequested(jobId), { ...path, expectedRevision: NO_STREAM })
    taken.push(performance.now() - from)
  }
  return median(taken)
}

serveCalls({ open, pairs, oneByOne }, async () => client?.dispose())
