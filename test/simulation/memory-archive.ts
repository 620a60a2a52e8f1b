import { allStreams } from '#packages/history/questions/projection.ts'
import type { ArchivedJob, ArchivedStatement, Span } from '#packages/history/retention/checked-archive.ts'
import type { SweptArchive } from '#packages/history/retention/sweep.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'

const endsOf: Record<'job' | 'delivery' | 'batch' | 'watch', readonly string[]> = {
  job: ['JobCompleted', 'JobFailed'],
  delivery: ['DeliveryEnded'],
  batch: ['BatchEnded'],
  watch: ['WatchRemoved'],
}

const isWithin = ({ recordedAt }: StoredEvent, { from, to }: Span): boolean => recordedAt >= from && recordedAt < to

/** An archive as a sweep sees it, without files and without a query engine. It outlives the processes that sweep. */
export class MemoryArchive implements SweptArchive {
  /** By stream, oldest first. */
  readonly #streams = new Map<string, StoredEvent[]>()
  #position = 0
  #progress: number | undefined

  /** Adds new events of the store, and removes forgotten ones. */
  async export(store: Pick<EventStore, 'follow'>, signal: AbortSignal): Promise<void> {
    for await (const { events, position, caughtUp } of store.follow({
      after: this.#position,
      prefixes: allStreams,
      signal,
    })) {
      for (const event of events) this.#add(event)
      this.#position = position
      if (caughtUp) return
    }
  }

  #add(event: StoredEvent): void {
    this.#streams.set(event.stream, [...(this.#streams.get(event.stream) ?? []), event])
    if (event.type !== 'StreamsRemoved' || event.data.reason !== 'forgotten') return
    for (const stream of event.data.streams) this.#streams.delete(stream)
  }

  progress(): number | undefined {
    return this.#progress
  }

  noteProgress(endedBefore: number): void {
    this.#progress = endedBefore
  }

  begins(): number | undefined {
    const first = Math.min(...[...this.#streams.values()].map(([event]) => event?.recordedAt ?? 0))
    return this.#streams.size === 0 ? undefined : first
  }

  async *ended(category: keyof typeof endsOf, span: Span): AsyncIterable<ArchivedJob> {
    const isEnd = ({ type }: StoredEvent): boolean => endsOf[category].includes(type)
    const ended = [...this.#streams.values()].flatMap((events) => {
      const end = events.findLast(isEnd)
      return end !== undefined && isWithin(end, span) ? [{ events, end }] : []
    })
    const jobs = ended.map(({ events, end: { stream, metadata, recordedAt } }) => {
      return { orgId: metadata.orgId, stream, endedAt: recordedAt, ids: events.map(({ id }) => id) }
    })
    yield* jobs.sort((one, other) => one.orgId.localeCompare(other.orgId) || one.endedAt - other.endedAt)
  }

  async *statements(span: Span): AsyncIterable<ArchivedStatement> {
    for (const [stream, events] of this.#streams) {
      const stated = events.findLast((event) => event.type === 'CreditsStated' && isWithin(event, span))
      if (stated !== undefined) yield { orgId: stated.metadata.orgId, stream, revision: stated.revision }
    }
  }

  async *removals(span: Span): AsyncIterable<string> {
    const isOld = (event: StoredEvent): boolean =>
      event.type === 'StreamsRemoved' && event.data.reason === 'retention' && isWithin(event, span)
    for (const [stream, events] of this.#streams) if (events.some(isOld)) yield stream
  }

  /** It cannot be damaged. */
  async checkLedgers(): Promise<void> {}
}
