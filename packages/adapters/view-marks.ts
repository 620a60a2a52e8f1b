import { allShards, type Shard } from '#packages/ports/shards.ts'
import { type GuardedChange, ViewsLostError, ViewsUnreadableError } from '#packages/ports/views.ts'
import { atStart, leastOf, movedTo, type ShardPositions } from './shard-positions.ts'

/**
 * A checkpoint: up to which positions the feed was applied, and the mark of its collection at that time. A mark is how
 * often a collection was written, whoever did: the newest position in it would be the same in a copy from before the
 * write of an owner who is behind others.
 */
export type StoredCheckpoint = { positions: ShardPositions; marked: number }

export const firstCheckpoint: StoredCheckpoint = { positions: atStart, marked: 0 }

/** What one process writes: whose checkpoints move. */
export type Begun = { projections: readonly string[]; shards: ReadonlySet<Shard> }

export const nothingBegun: Begun = { projections: [], shards: allShards }

/** Never backwards. @param mark of its collection */
export const moved = (
  { positions, marked }: StoredCheckpoint,
  { shards }: Begun,
  to: { position: number; mark: number },
): StoredCheckpoint => ({
  positions: movedTo(positions, shards, to.position),
  marked: Math.max(marked, to.mark),
})

/** The stored state of views. A collection without a mark was dropped or emptied. */
export type StoredState = {
  /** Identifies these views: views that replace them have another. Undefined where there are none. */
  generation: unknown
  marks: ReadonlyMap<string, number>
  checkpoints: ReadonlyMap<string, StoredCheckpoint>
  /** The shards that have reached the end of the feed; all where the views can be read. */
  whole: ReadonlySet<Shard>
}

/** The newest position among the changes of each collection that they write, removals too. */
export function newestOf(changes: readonly GuardedChange[]): Map<string, number> {
  const newest = new Map<string, number>()
  for (const { collection, position } of changes)
    newest.set(collection, Math.max(position, newest.get(collection) ?? 0))
  return newest
}

/**
 * The changes that are not in all checkpoints of their projections and shards: a repeat of the others would bring back
 * what was removed since. Removals come last, so that no older change of the batch follows them.
 * @param checkpoints at least one
 */
export function unappliedOf(
  changes: readonly GuardedChange[],
  checkpoints: readonly ShardPositions[],
  { shards }: Begun,
): GuardedChange[] {
  const appliedIn = (of: Iterable<Shard>): number => Math.min(...checkpoints.map((each) => leastOf(each, of)))
  const known = new Map<Shard | undefined, number>()
  const isUnapplied = (change: GuardedChange): boolean => {
    const shard = 'removes' in change ? undefined : change.shard
    const applied = known.get(shard) ?? appliedIn(shard === undefined ? shards : [shard])
    known.set(shard, applied)
    return change.position > applied
  }
  const unapplied = changes.filter(isUnapplied)
  return [...unapplied.filter((one) => !('removes' in one)), ...unapplied.filter((one) => 'removes' in one)]
}

/** A checkpoint that is not there: behind any other. */
const none: ShardPositions = atStart.map(() => -1)

/** The marks and checkpoints that one process has seen. Stored views that are behind them are not what was written. */
export class SeenViews {
  readonly #collections: readonly string[]
  #generation: unknown
  readonly #marks = new Map<string, number>()
  /** The least of the shards that were begun. */
  readonly #checkpoints = new Map<string, number>()
  /** Whether the shards that were begun have reached the end of the feed since. */
  #areWhole = false
  /** Generations that others have replaced. */
  readonly #replaced = new Set<unknown>()

  /** @param collections all collections of the views: each has a mark from the moment it is made */
  constructor(collections: readonly string[]) {
    this.#collections = collections
  }

  mark(generation: unknown, collection: string): number {
    return generation === this.#generation ? (this.#marks.get(collection) ?? 0) : 0
  }

  checkpoint(generation: unknown, projection: string): number {
    return generation === this.#generation ? (this.#checkpoints.get(projection) ?? 0) : 0
  }

  noteMark(generation: unknown, collection: string, mark: number): void {
    this.#turnTo(generation)
    this.#marks.set(collection, Math.max(mark, this.#marks.get(collection) ?? 0))
  }

  noteCheckpoint(generation: unknown, projection: string, position: number): void {
    this.#turnTo(generation)
    this.#checkpoints.set(projection, Math.max(position, this.#checkpoints.get(projection) ?? 0))
  }

  /** The shards that were begun have reached the end of the feed. */
  noteWhole(generation: unknown): void {
    this.#turnTo(generation)
    this.#areWhole = true
  }

  /** Notes the checkpoints of what is begun now, in place of those of other shards. */
  begin({ generation, checkpoints }: StoredState, { projections, shards }: Begun): void {
    this.#turnTo(generation)
    this.#areWhole = false
    for (const each of projections)
      this.#checkpoints.set(each, leastOf(checkpoints.get(each)?.positions ?? atStart, shards))
  }

  /** A copy of the present state, to compare a read with: `this` may move on during the read. */
  copy(): SeenViews {
    const copy = new SeenViews(this.#collections)
    copy.#generation = this.#generation
    for (const [collection, mark] of this.#marks) copy.#marks.set(collection, mark)
    for (const [projection, position] of this.#checkpoints) copy.#checkpoints.set(projection, position)
    copy.#areWhole = this.#areWhole
    for (const generation of this.#replaced) copy.#replaced.add(generation)
    return copy
  }

  /** Forgets what was seen of another generation. */
  #turnTo(generation: unknown): void {
    if (generation === this.#generation) return
    if (this.#generation !== undefined) this.#replaced.add(this.#generation)
    this.#replaced.delete(generation)
    this.#generation = generation
    this.#marks.clear()
    this.#checkpoints.clear()
    this.#areWhole = false
  }

  /**
   * Notes the mark that a reader has read.
   * @throws ViewsUnreadableError it is behind a mark that was seen; or, once, older views were put back in the place of
   * those that had replaced them
   */
  read(generation: unknown, collection: string, mark: number | undefined): void {
    if (mark === undefined || mark < this.mark(generation, collection)) throw new ViewsUnreadableError()
    const isPutBack = this.#replaced.has(generation)
    this.noteMark(generation, collection, mark)
    if (isPutBack) throw new ViewsUnreadableError()
  }

  /** What is wrong with stored views; undefined where they are consistent and nothing that was seen is missing. */
  problemOf(state: StoredState, begun: Begun): string | undefined {
    return this.#brokenBy(state) ?? this.#lostBy(state, begun)
  }

  /** What is inconsistent in stored views, whatever was seen before. */
  #brokenBy({ generation, marks, checkpoints }: StoredState): string | undefined {
    if (generation === undefined) return 'there are none'
    for (const collection of this.#collections) {
      const mark = marks.get(collection)
      if (mark === undefined) return `the collection ${collection} is gone`
      if (mark < (checkpoints.get(collection)?.marked ?? 0))
        return `the collection ${collection} is behind its checkpoint`
    }
    return undefined
  }

  /** What is missing in stored views that was seen before in the same generation. */
  #lostBy(state: StoredState, { projections, shards }: Begun): string | undefined {
    const { generation, marks, checkpoints, whole } = state
    if (generation !== this.#generation) return undefined
    for (const collection of this.#collections)
      if ((marks.get(collection) ?? -1) < this.mark(generation, collection))
        return `the collection ${collection} is older than what was written`
    for (const projection of projections)
      if (leastOf(checkpoints.get(projection)?.positions ?? none, shards) < this.checkpoint(generation, projection))
        return `the checkpoint of ${projection} is older than what was written`
    if (this.#areWhole && !shards.isSubsetOf(whole)) return 'they were readable, and are not any more'
    return undefined
  }

  /** @throws ViewsLostError the stored views are inconsistent, or something that was seen is missing */
  verify(state: StoredState, begun: Begun): void {
    const what = this.problemOf(state, begun)
    if (what !== undefined) throw new ViewsLostError(what)
  }
}
