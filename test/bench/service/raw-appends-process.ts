/** A process with nothing but the client of the event store. It appends the events of an accepted job. */
import { randomUUID } from 'node:crypto'
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { proposedOf } from '#packages/adapters/eventstoredb/calls/append-request.ts'
import { BatchAppend } from '#packages/adapters/eventstoredb/calls/batch-append.ts'
import { allOf } from '../kit/all-of.ts'
import { median } from '../kit/percentiles.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { HASH, metadataOf, requested } from './past-jobs.ts'

export type RawOpening = {
  url: string
  /** The way of appending: all over one stream, as the service does, or one call of the client for each. */
  way: 'stream' | 'calls'
}

/** The rate and the CPU of pairs of appends. */
export type RawPairs = { perSecond: number; cpuMsOfAppend: number }

type Written = { type: string; data: object; jobId: string }
type Append = (stream: string, expected: number | 'no-stream', event: Written) => Promise<number>

const DEADLINE_MS = 10_000
const credentials = { username: 'nobody', password: '' }

let client: EventStoreDBClient
let append: Append

function open({ url, way }: RawOpening): void {
  client = EventStoreDBClient.connectionString(url)
  append = way === 'stream' ? overStream(new BatchAppend(client, { credentials, deadlineMs: DEADLINE_MS })) : byCall
}

const overStream =
  (appends: BatchAppend): Append =>
  async (stream, expected, { type, data, jobId }) => {
    const metadata = JSON.stringify(metadataOf('bench', jobId))
    const event = { id: randomUUID(), type, version: 1, data: JSON.stringify(data), metadata }
    return (await appends.append(proposedOf(stream, expected, [event]))).revision
  }

const byCall: Append = async (stream, expected, { type, data, jobId }) => {
  const event = jsonEvent({ id: randomUUID(), type, data: { ...data }, metadata: { ...metadataOf('bench', jobId) } })
  const expectedRevision = expected === 'no-stream' ? NO_STREAM : BigInt(expected)
  const options = { credentials, deadline: DEADLINE_MS, expectedRevision } as const
  return Number((await client.appendToStream(stream, event, options)).nextExpectedRevision)
}

/** An event as large as the service's. */
const debited = (jobId: string): Written => {
  const data = { jobId, credits: 5, operation: 'transcript', requestHash: HASH }
  return { type: 'CreditsDebited', data, jobId }
}

const jobRequested = (jobId: string): Written => ({ ...requested(randomUUID()), jobId })

/** Two appends for each job, the second after the first is answered. */
async function pairs({ jobs, atOnce }: { jobs: number; atOnce: number }): Promise<RawPairs> {
  const ledgers = Array.from({ length: atOnce }, () => ({
    stream: `raw-ledger-${randomUUID()}`,
    revision: 'no-stream' as number | 'no-stream',
  }))
  const [from, cpu] = [performance.now(), process.cpuUsage()]
  await allOf(jobs, atOnce, async () => {
    // At most `atOnce` pairs are under way, so one ledger is free.
    const ledger = ledgers.pop() as (typeof ledgers)[number]
    const jobId = randomUUID()
    ledger.revision = await append(ledger.stream, ledger.revision, debited(jobId))
    ledgers.push(ledger)
    await append(`raw-job-${jobId}`, 'no-stream', jobRequested(jobId))
  })
  const { user, system } = process.cpuUsage(cpu)
  return { perSecond: (jobs * 1000) / (performance.now() - from), cpuMsOfAppend: (user + system) / 1000 / (2 * jobs) }
}

/** Appends of one event, one after the other. @returns the median, milliseconds */
async function oneByOne(count: number): Promise<number> {
  const taken: number[] = []
  for (let n = 0; n < count; n++) {
    const jobId = randomUUID()
    const from = performance.now()
    await append(`raw-job-${jobId}`, 'no-stream', jobRequested(jobId))
    taken.push(performance.now() - from)
  }
  return median(taken)
}

serveCalls({ open, pairs, oneByOne }, async () => client?.dispose())
