/** A process with nothing but the client of the event store. It appends the events of an accepted job. */
import { randomUUID } from 'node:crypto'
import { EventStoreDBClient } from '@eventstore/db-client'
import { proposedOf } from '#packages/adapters/eventstoredb/calls/append-request.ts'
import { BatchAppend } from '#packages/adapters/eventstoredb/calls/batch-append.ts'
import { allOf } from '../kit/all-of.ts'
import { serveCalls } from '../kit/serve-calls.ts'
import { HASH, metadataOf, requested } from './past-jobs.ts'

export type RawOpening = { url: string }

type Written = { type: string; data: object; jobId: string }

const DEADLINE_MS = 10_000
const credentials = { username: 'nobody', password: '' }

let client: EventStoreDBClient
let appends: BatchAppend

function open({ url }: RawOpening): void {
  client = EventStoreDBClient.connectionString(url)
  appends = new BatchAppend(client, { credentials, deadlineMs: DEADLINE_MS })
}

/** Over one stream for all appends, as the service does. @returns the revision of the event */
async function append(stream: string, expected: number | 'no-stream', written: Written): Promise<number> {
  const { type, data, jobId } = written
  const metadata = JSON.stringify(metadataOf('bench', jobId))
  const event = { id: randomUUID(), type, version: 1, data: JSON.stringify(data), metadata }
  return (await appends.append(proposedOf(stream, expected, [event]))).revision
}

/** An event as large as the service's. */
const debited = (jobId: string): Written => {
  const data = { jobId, credits: 5, operation: 'transcript', requestHash: HASH }
  return { type: 'CreditsDebited', data, jobId }
}

const jobRequested = (jobId: string): Written => ({ ...requested(randomUUID()), jobId })

/** Two appends for each job, the second after the first is answered. @returns jobs per second */
async function pairs({ jobs, atOnce }: { jobs: number; atOnce: number }): Promise<number> {
  const ledgers = Array.from({ length: atOnce }, () => ({
    stream: `raw-ledger-${randomUUID()}`,
    revision: 'no-stream' as number | 'no-stream',
  }))
  const from = performance.now()
  await allOf(jobs, atOnce, async () => {
    // At most `atOnce` pairs are under way, so one ledger is free.
    const ledger = ledgers.pop() as (typeof ledgers)[number]
    const jobId = randomUUID()
    ledger.revision = await append(ledger.stream, ledger.revision, debited(jobId))
    ledgers.push(ledger)
    await append(`raw-job-${jobId}`, 'no-stream', jobRequested(jobId))
  })
  return (jobs * 1000) / (performance.now() - from)
}

serveCalls({ open, pairs }, async () => client?.dispose())
