import { once } from 'node:events'
import type { HistoryStore } from '#packages/history/questions/history-store.ts'
import type { FeedBatch, FollowOptions, ReadOptions, StoredEvent } from '#packages/ports/event-store.ts'
import { type ArchivedRow, archivedEvent, rowColumns } from './archived-event.ts'
import { ArchivedFeed, type ArchivedItem } from './archived-feed.ts'
import { categoryOf } from './event-line.ts'
import { type Archive, eventsOf } from './open-archive.ts'

/** The most events in a batch of the feed, and in a page read backwards. */
const BATCH = 1000
const PAGE = 250

/** An empty store, which ends at the last position of an archive. */
const noStore = (end: number): HistoryStore => ({
  read: async () => [],
  async *readBackwards() {},
  async *follow({ after, signal }) {
    yield { events: [], position: Math.max(after, end), caughtUp: true }
    if (!signal.aborted) await once(signal, 'abort')
  },
})

/**
 * Joins an archive and a store into one history. Events that the store has removed or truncated come from the archive,
 * all others from the store. Shows the archive as it was when it was opened.
 */
export class ArchivedHistory implements HistoryStore {
  readonly #archive: Archive
  readonly #store: HistoryStore

  /** @param store if missing, the history is the archive alone */
  constructor(archive: Archive, store?: HistoryStore) {
    this.#archive = archive
    this.#store = store ?? noStore(archive.manifest.position)
  }

  async read(stream: string, { from = 0, to = Number.MAX_SAFE_INTEGER }: ReadOptions = {}): Promise<StoredEvent[]> {
    const own = await this.#store.read(stream, to === Number.MAX_SAFE_INTEGER ? { from } : { from, to })
    const end = (own[0]?.revision ?? to + 1) - 1
    return end < from ? own : [...(await this.#archived(stream, from, end, 'ASC')), ...own]
  }

  async *readBackwards(stream: string): AsyncIterable<StoredEvent> {
    let before = Number.MAX_SAFE_INTEGER
    for await (const event of this.#store.readBackwards(stream)) {
      yield event
      before = event.revision
    }
    while (before > 0) {
      const page = await this.#archived(stream, 0, before - 1, 'DESC', PAGE)
      yield* page
      before = page.at(-1)?.revision ?? 0
    }
  }

  async #archived(stream: string, from: number, to: number, order: 'ASC' | 'DESC', limit?: number) {
    const files = this.#archive.manifest.files.filter(({ category }) => category === categoryOf(stream))
    if (files.length === 0) return []
    const found = await this.#archive.connection.runAndReadAll(
      `SELECT ${rowColumns} FROM (${eventsOf(this.#archive, files)})
       WHERE stream = $stream AND revision BETWEEN ${from} AND ${Math.min(to, 2 ** 31 - 1)}
       ORDER BY revision ${order} ${limit === undefined ? '' : `LIMIT ${limit}`}`,
      { stream },
    )
    return (found.getRows() as unknown as ArchivedRow[]).map(archivedEvent)
  }

  async *follow(options: FollowOptions): AsyncIterable<FeedBatch> {
    const { after, prefixes } = options
    const isWanted = (name: string): boolean => prefixes.some((prefix) => name.startsWith(prefix))
    const files = this.#archive.manifest.files.filter(({ category }) =>
      prefixes.some((prefix) => mayHave(category, prefix)),
    )
    using archived = new ArchivedFeed(this.#archive, files, after)
    for await (const batch of this.#store.follow(options)) {
      let own = batch.events
      for (;;) {
        const items = await archived.next(batch.position, BATCH)
        const position = items.at(-1)?.position
        if (position === undefined) break
        const later = own.findIndex((event) => event.position > position)
        const until = later < 0 ? own.length : later
        yield { events: together(own.slice(0, until), items, isWanted), position, caughtUp: false }
        own = own.slice(until)
      }
      yield { events: own, position: batch.position, caughtUp: batch.caughtUp }
    }
  }
}

/** Whether streams of a category may begin with a prefix. */
const mayHave = (category: string, prefix: string): boolean =>
  prefix.startsWith(`${category}-`) || `${category}-`.startsWith(prefix)

/** Merges events of the store and the archive by position. If both have an event, the store's counts. */
function together(
  own: readonly StoredEvent[],
  archived: readonly ArchivedItem[],
  isWanted: (stream: string) => boolean,
): StoredEvent[] {
  const events: StoredEvent[] = []
  let at = 0
  for (const item of archived) {
    for (let event = own[at]; event !== undefined && event.position < item.position; event = own[at]) {
      events.push(event)
      at++
    }
    if (own[at]?.position === item.position) continue
    const row = item.row()
    const [, stream] = row
    if (isWanted(stream)) events.push(archivedEvent(row))
  }
  return [...events, ...own.slice(at)]
}
