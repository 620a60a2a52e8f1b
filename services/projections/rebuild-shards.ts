import { isDeepStrictEqual } from 'node:util'
import {
  allDocuments,
  asStored,
  DocumentFold,
  type DocumentShare,
  type FoldedDocument,
  isIn,
} from '#packages/history/verify/document-fold.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { bytesOf, type Shard, shardOf, shardOfStream } from '#packages/ports/shards.ts'
import type { Document, Stored } from '#packages/ports/views.ts'
import type { MendedDocument, ViewsMender } from '#packages/ports/views-mender.ts'
import type { Projection } from '#packages/views/projection.ts'

export type RebuildPorts = { store: Pick<EventStore, 'follow'>; mender: ViewsMender; clock: Clock }

export type RebuildOptions = {
  /** What documents may take in memory at once, bytes, about. Default 256 MiB. */
  mostBytes?: number
  /** How long a stored document may be behind the events before it counts as wrong, milliseconds. Default 2,000. */
  lateMs?: number
}

export type RebuiltShards = {
  /** Those that were looked at. */
  documents: number
  /** Those that were not right, and are. */
  mended: number
  /** Jobs whose ledger is in another shard, which were left as they are. */
  elsewhere: number
}

const MOST_BYTES = 256 * 1024 * 1024

/** A document that is too large alone is folded all the same. */
const MOST_SHARES = 1024

const LATE_MS = 2000

/** The pause between two looks at documents, milliseconds. */
const LOOK_EVERY_MS = 100

/** How long a mended document may be on its way to where nothing of before can come any more, milliseconds. */
const PROVEN_WITHIN_MS = 30_000

/** How often documents are mended before it counts as certain that somebody makes them wrong again. */
const MOST_MENDS = 10

/** Documents that are read or written at once. */
const PAGE = 500

/** What the names of streams of a shard begin with, before its id. */
const kinds = ['credits-', 'job-', 'key-', 'organization-']

/** Streams that tell which others are gone, of all shards. */
const REMOVALS = 'removal-'

/** What was appended so long ago is in the feed of whoever follows it, milliseconds. */
const ON_ITS_WAY_MS = 1000

/** A document that may be wrong, and what it was after each event since it is looked at. */
type Watched = {
  fold: DocumentFold
  id: string
  /** By position. */
  versions: Map<number, FoldedDocument>
  newest: FoldedDocument | undefined
  /** From when on it is wrong where it is none of the versions, milliseconds since 1970: it is behind or ahead no longer. */
  lateAt: number
  /** It is right where it has come as far as this, or after this time: a late write would have been by events before. */
  proven: { from: number; at: number }
}

/** A wrong document, and the position of what is stored. */
type Wrong = { watched: Watched; storedAt: number }

const keyOf = ({ fold, id }: Watched): string => `${fold.projection.name} ${id}`

/**
 * Makes the documents of some shards anew in the live views, while they are read and written. The events of these shards
 * alone are folded in memory, in several passes where that is too small, and what is stored is compared with that. Only what
 * differs is written, each document by itself, and at no other place: so a crash leaves nothing behind, and a repeat goes on.
 *
 * No transaction has both a document and what a projector keeps of it in memory. So its writers are interrupted before it is
 * mended, which gives a pause, and after it: those that have read the wrong one in between begin again. What was under way is of
 * events from before. A mended document is watched until it has all of these, as the events make it at every look; where it
 * is otherwise, it is mended once more.
 * @throws Error the views cannot be read now, or somebody goes on making documents wrong
 * @throws the signal's reason
 */
export async function rebuildShards(
  ports: RebuildPorts,
  projections: readonly Projection[],
  shards: ReadonlySet<Shard>,
  options: RebuildOptions,
  signal: AbortSignal,
): Promise<RebuiltShards> {
  for (const { name } of projections)
    if ((await ports.mender.checkpoints(name)) === undefined)
      throw new Error('the views cannot be read now: they are being made anew from the events, or there are none')
  const total = { documents: 0, mended: 0, elsewhere: 0 }
  const shares = [allDocuments]
  for (let share = shares.pop(); share !== undefined; share = shares.pop()) {
    const rebuild = new ShareRebuild(ports, projections, shards, options, signal)
    shares.push(...(await rebuild.fold(share)))
    await rebuild.mend()
    total.documents += rebuild.documents
    total.mended += rebuild.mended.size
    total.elsewhere += rebuild.elsewhere
  }
  return total
}

/** The rebuild of a share of the documents, as many as are in memory at once. */
class ShareRebuild {
  documents = 0
  elsewhere = 0
  readonly mended = new Set<string>()
  readonly #ports: RebuildPorts
  readonly #shards: ReadonlySet<Shard>
  readonly #mostBytes: number
  readonly #lateMs: number
  readonly #signal: AbortSignal
  readonly #folds: readonly DocumentFold[]
  #share: DocumentShare = allDocuments
  /** All events up to here are folded. */
  #position = 0
  #watched: Watched[] = []

  constructor(
    ports: RebuildPorts,
    projections: readonly Projection[],
    shards: ReadonlySet<Shard>,
    { mostBytes = MOST_BYTES, lateMs = LATE_MS }: RebuildOptions,
    signal: AbortSignal,
  ) {
    this.#ports = ports
    this.#shards = shards
    this.#mostBytes = mostBytes
    this.#lateMs = lateMs
    this.#signal = signal
    this.#folds = projections.map((projection) => new DocumentFold(projection, allDocuments))
  }

  /** Folds all events into a share of the documents. @returns the shares that were too many for the memory */
  async fold(share: DocumentShare): Promise<DocumentShare[]> {
    const others: DocumentShare[] = []
    this.#narrow(share)
    await this.#foldOn(() => {
      while (this.#bytes > this.#mostBytes && this.#share.of < MOST_SHARES) {
        const { of, index } = this.#share
        others.push({ of: 2 * of, index: index + of })
        this.#narrow({ of: 2 * of, index })
      }
    })
    return others
  }

  #narrow(share: DocumentShare): void {
    this.#share = share
    for (const fold of this.#folds) fold.narrow(share)
  }

  get #bytes(): number {
    return this.#folds.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Reads on to the end of the events. @param taken called after each batch */
  async #foldOn(taken: () => void = () => {}): Promise<void> {
    const end = new AbortController()
    const signal = AbortSignal.any([this.#signal, end.signal])
    const prefixes = [REMOVALS, ...bytesOf(this.#shards).flatMap((byte) => kinds.map((kind) => `${kind}${byte}`))]
    const feed = this.#ports.store.follow({ after: this.#position, prefixes, signal })
    for await (const { events, position, caughtUp } of feed) {
      for (const event of events) if (this.#isOurs(event)) this.#take(event)
      taken()
      this.#position = Math.max(this.#position, position)
      if (caughtUp) end.abort()
    }
    this.#signal.throwIfAborted()
  }

  #isOurs({ type, stream }: StoredEvent): boolean {
    return type === 'StreamsRemoved' || this.#shards.has(shardOfStream(stream))
  }

  #take(event: StoredEvent): void {
    for (const fold of this.#folds) fold.take(event)
    for (const watched of this.#watched) {
      const { fold, id, versions, newest } = watched
      const folded = fold.documents.get(id)
      if (folded === newest) continue
      watched.newest = folded
      if (folded !== undefined) versions.set(folded.position, folded)
    }
  }

  /** Compares what is stored with the folded documents, and mends what differs until nothing does. */
  async mend(): Promise<void> {
    for (const fold of this.#folds) await this.#lookAtAll(fold)
    for (let mends = 0; this.#watched.length > 0; ) {
      await this.#ports.clock.sleep(LOOK_EVERY_MS, this.#signal)
      const wrong = await this.#lookAgain()
      if (wrong.length === 0) continue
      if (++mends > MOST_MENDS) throw new Error(wrongAgain(wrong))
      await this.#put(wrong)
    }
  }

  async #lookAtAll(fold: DocumentFold): Promise<void> {
    const { projection, documents } = fold
    const missing = new Set(documents.keys())
    const prefixes = projection.shardOf === undefined ? bytesOf(this.#shards) : ['']
    const shardOfId = projection.shardOf ?? shardOf
    for (const idPrefix of prefixes)
      for await (const page of this.#ports.mender.documents(projection.name, idPrefix)) {
        this.#signal.throwIfAborted()
        for (const stored of page) {
          if (!isIn(this.#share, stored.id) || !this.#shards.has(shardOfId(stored.id))) continue
          missing.delete(stored.id)
          this.#look(fold, stored.id, stored)
        }
      }
    for (const id of missing) this.#look(fold, id, undefined)
  }

  #look(fold: DocumentFold, id: string, stored: Stored<Document> | undefined): void {
    const newest = fold.documents.get(id)
    const settledIn = newest && fold.projection.settledIn?.(newest.fields)
    if (settledIn !== undefined && !this.#shards.has(shardOf(settledIn))) {
      this.elsewhere++
      return
    }
    this.documents++
    if (isDeepStrictEqual(stored, asStored(id, newest))) return
    const versions = new Map(newest && [[newest.position, newest]])
    const lateAt = this.#ports.clock.now() + this.#lateMs
    this.#watched.push({ fold, id, newest, versions, lateAt, proven: { from: 0, at: 0 } })
  }

  /** Looks at those that are watched, and goes on watching those that are not as the events make them. @returns the wrong */
  async #lookAgain(): Promise<Wrong[]> {
    const stored = await this.#storedOf(this.#watched)
    // A writer may be ahead of what was folded.
    await this.#foldOn()
    const now = this.#ports.clock.now()
    const wrong: Wrong[] = []
    this.#watched = this.#watched.filter((watched) => {
      const found = stored.get(keyOf(watched))
      const isRight = isRightVersion(watched, found)
      if (isRight) return found !== undefined && found.position < watched.proven.from && now < watched.proven.at
      if (isRight === false || now >= watched.lateAt) wrong.push({ watched, storedAt: found?.position ?? 0 })
      return true
    })
    return wrong
  }

  async #storedOf(watched: readonly Watched[]): Promise<Map<string, Stored<Document>>> {
    const found = new Map<string, Stored<Document>>()
    for (const [fold, ofOne] of Map.groupBy(watched, (one) => one.fold))
      for (const page of pagesOf(ofOne)) {
        const ids = page.map(({ id }) => id)
        for (const one of await this.#ports.mender.getMany(fold.projection.name, ids))
          found.set(`${fold.projection.name} ${one.id}`, one)
      }
    return found
  }

  async #put(wrong: readonly Wrong[]): Promise<void> {
    const { mender, clock } = this.#ports
    await mender.interrupt(this.#shards)
    await this.#foldOn()
    for (const page of pagesOf(wrong)) await mender.put(page.map((one) => this.#mendedOf(one)))
    await mender.interrupt(this.#shards)
    await clock.sleep(ON_ITS_WAY_MS, this.#signal)
    await this.#foldOn()
    for (const { watched } of wrong) {
      this.mended.add(keyOf(watched))
      watched.lateAt = clock.now() + this.#lateMs
      watched.proven = { from: watched.newest?.position ?? 0, at: clock.now() + PROVEN_WITHIN_MS }
    }
  }

  #mendedOf({ watched: { fold, id, newest }, storedAt }: Wrong): MendedDocument {
    // No event is at a position beyond those that were read: it is a wrong one.
    const upTo = Math.max(this.#position, storedAt)
    return { collection: fold.projection.name, id, made: newest, upTo }
  }
}

/** Whether what is stored is a version of the document; undefined where none is at its position. */
function isRightVersion({ id, versions, newest }: Watched, found: Stored<Document> | undefined): boolean | undefined {
  if (found === undefined) return newest === undefined ? true : undefined
  const version = versions.get(found.position)
  if (version === undefined) return undefined
  // It never goes back to one before.
  for (const position of versions.keys()) if (position < found.position) versions.delete(position)
  return isDeepStrictEqual(found, asStored(id, version))
}

const pagesOf = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / PAGE) }, (_, page) => all.slice(page * PAGE, (page + 1) * PAGE))

const wrongAgain = ([first, ...others]: readonly Wrong[]): string =>
  `${first && keyOf(first.watched)} and ${others.length} other documents are made wrong again whenever they are mended: is an older release at work?`
