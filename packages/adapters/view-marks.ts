import { type GuardedChange, ViewsLostError, ViewsUnreadableError } from '#packages/ports/views.ts'

/** A checkpoint: up to which position the feed was applied, and the mark of its collection at that time. */
export type StoredCheckpoint = { position: number; marked: number }

/** The stored state of views. A collection without a mark was dropped or emptied. */
export type StoredState = {
  /** Identifies these views: views that replace them have another. Undefined where there are none. */
  generation: unknown
  marks: ReadonlyMap<string, number>
  checkpoints: ReadonlyMap<string, StoredCheckpoint>
}

/** The newest position among the changes of each collection, removals too: its new mark. */
export function marksOf(changes: readonly GuardedChange[]): Map<string, number> {
  const marks = new Map<string, number>()
  for (const { collection, position } of changes) marks.set(collection, Math.max(position, marks.get(collection) ?? 0))
  return marks
}

/**
 * The changes that are not in all checkpoints of their projections: a repeat of the others would bring back what was
 * removed since. Removals come last, so that no older change of the batch follows them.
 * @param checkpoints at least one
 */
export function unappliedOf(changes: readonly GuardedChange[], checkpoints: readonly number[]): GuardedChange[] {
  const applied = Math.min(...checkpoints)
  const unapplied = changes.filter(({ position }) => position > applied)
  return [...unapplied.filter((one) => !('removes' in one)), ...unapplied.filter((one) => 'removes' in one)]
}

/** The marks and checkpoints that one process has seen. Stored views that are behind them are not what was written. */
export class SeenViews {
  readonly #collections: readonly string[]
  #generation: unknown
  readonly #marks = new Map<string, number>()
  readonly #checkpoints = new Map<string, number>()
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

  /** A copy of the present state, to compare a read with: `this` may move on during the read. */
  copy(): SeenViews {
    const copy = new SeenViews(this.#collections)
    copy.#generation = this.#generation
    for (const [collection, mark] of this.#marks) copy.#marks.set(collection, mark)
    for (const [projection, position] of this.#checkpoints) copy.#checkpoints.set(projection, position)
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
  problemOf(state: StoredState, projections: readonly string[]): string | undefined {
    return this.#brokenBy(state) ?? this.#lostBy(state, projections)
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
  #lostBy({ generation, marks, checkpoints }: StoredState, projections: readonly string[]): string | undefined {
    if (generation !== this.#generation) return undefined
    for (const collection of this.#collections)
      if ((marks.get(collection) ?? -1) < this.mark(generation, collection))
        return `the collection ${collection} is older than what was written`
    for (const projection of projections)
      if ((checkpoints.get(projection)?.position ?? -1) < this.checkpoint(generation, projection))
        return `the checkpoint of ${projection} is older than what was written`
    return undefined
  }

  /** @throws ViewsLostError the stored views are inconsistent, or something that was seen is missing */
  verify(state: StoredState, projections: readonly string[]): void {
    const what = this.problemOf(state, projections)
    if (what !== undefined) throw new ViewsLostError(what)
  }
}
