import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { debited, granted, settled } from '#packages/domain/credits/credits.fixture.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { allStreams } from '#packages/history/questions/projection.ts'
import { readHistory } from '#packages/history/questions/read-history.ts'
import type { EventStore, NewEvent, StoredEvent } from '#packages/ports/event-store.ts'
import { sha256, streams } from '#packages/ports/ids.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import type { ArchiveWriterOptions } from './archive-writer.ts'
import { type ExportOptions, exportHistory, openExport } from './export-history.ts'
import type { ArchivedStore } from './same-store.ts'

/** The personal data in the jobs of this fixture. */
export const personal = {
  url: 'https://films.example.com/of-ada-lovelace.mp4',
  title: 'The title of Ada Lovelace',
  text: 'The spoken words of Ada Lovelace',
  name: 'The company of Ada Lovelace',
}

export const newEvent = (event: DomainEvent, orgId: string, correlationId: string = orgId): NewEvent => ({
  ...event,
  id: randomUUID(),
  metadata: {
    orgId,
    correlationId,
    causationId: 'request-1',
    traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
  },
})

/** Writes organizations and ended jobs into a store. */
export class Past {
  readonly store: EventStore
  readonly #ledgers = new Map<string, number>()

  constructor(store: EventStore) {
    this.store = store
  }

  async organization(orgId: string): Promise<void> {
    const registered: DomainEvent = { type: 'OrganizationRegistered', data: { name: personal.name } }
    await this.store.append(streams.organization(orgId), 'no-stream', [newEvent(registered, orgId)])
    await this.ledger(orgId, granted(1000))
  }

  async ledger(orgId: string, event: DomainEvent, correlationId?: string): Promise<void> {
    const last = this.#ledgers.get(orgId)
    const { revision } = await this.store.append(streams.credits(orgId), last ?? 'no-stream', [
      newEvent(event, orgId, correlationId),
    ])
    this.#ledgers.set(orgId, revision)
  }

  /** A job for which 5 credits were debited and 1 was charged. */
  async job(orgId: string, jobId: string): Promise<void> {
    await this.ledger(orgId, debited(jobId, 5), jobId)
    const { fetched, captions } = results
    const events: DomainEvent[] = [
      { type: 'JobRequested', data: jobRequested({ orgId, url: personal.url, requestHash: sha256(jobId) }) },
      {
        type: 'VideoFetched',
        data: { ...fetched.data, metadata: { ...fetched.data.metadata, title: personal.title } },
      },
      { type: 'CaptionsRead', data: { ...captions.data, segments: [{ start: 0, end: 1, text: personal.text }] } },
      { type: 'JobCompleted', data: { orgId, kind: 'transcript', credits: 1 } },
    ]
    const all = events.map((event) => newEvent(event, orgId, jobId))
    await this.store.append(streams.job(jobId), 'no-stream', all)
    await this.ledger(orgId, settled(jobId, 1, 4, 'completed'), jobId)
  }

  /** Records the removal of streams, and removes them. */
  async removed(
    reason: 'forgotten' | 'retention',
    orgId: string,
    names: readonly [string, ...string[]],
  ): Promise<void> {
    const event: DomainEvent = { type: 'StreamsRemoved', data: { reason, streams: [...names] } }
    await this.store.append(streams.removal(randomUUID()), 'no-stream', [newEvent(event, orgId)])
    for (const name of names) await this.store.remove(name)
  }
}

const DAY = 86_400_000

/** A store with two organizations. Each has one job on every day from 20 November 2026. */
export async function pastStore(days = 15): Promise<{ past: Past; clock: ManualClock; jobs: string[] }> {
  const clock = new ManualClock(Date.UTC(2026, 10, 20))
  const past = new Past(new MemoryEventStore({ clock }))
  const organizations = ['org-1', 'org-2']
  const jobs: string[] = []
  for (const orgId of organizations) await past.organization(orgId)
  for (let day = 0; day < days; day++) {
    for (const orgId of organizations) {
      jobs.push(randomUUID())
      await past.job(orgId, jobs.at(-1) ?? '')
    }
    await clock.advance(DAY)
  }
  return { past, clock, jobs }
}

/** Every event of a store, in the order of the feed. */
export async function allOf(store: Pick<ArchivedStore, 'read' | 'readBackwards' | 'follow'>): Promise<StoredEvent[]> {
  const all: StoredEvent[] = []
  await readHistory(store, { prefixes: allStreams }, (events) => {
    all.push(...events)
  })
  return all
}

/** Makes files full early, so that an archive has several files. */
export const inPieces = {
  origin: null,
  withContent: false,
  from: null,
  program: '1.0.0',
  full: { events: 1500, size: 1_000_000_000 },
} as const

/** Exports what is new in a store into an archive. @returns how many events were added */
export async function exported(
  store: ArchivedStore,
  directory: string,
  options: Partial<ArchiveWriterOptions & ExportOptions> = {},
): Promise<number> {
  await using writer = await openExport(store, directory, { ...inPieces, ...options })
  return await exportHistory(store, writer, options)
}

/** The paths of the Parquet files in a folder. */
export const parquetIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.parquet'))
    .sort()
