import { ViewsLostError, ViewsUnreadableError } from '#packages/ports/views.ts'

/** What a checkpoint says: how far the feed was applied, and the mark that its collection then had. */
export type StoredCheckpoint = { position: number; marked: number }

/** How views stand in their store. A collection without a mark was dropped, or emptied. */
export type StoredState = {
  /** Names these views: those that take their place have another. Undefined: there are none. */
  generation: unknown
  marks: ReadonlyMap<string, number>
  checkpoints: ReadonlyMap<string, StoredCheckpoint>
}

/** The newest position among the writes of each collection: what its mark is to be. */
export function marksOf(writes: readonly { collection: string; position: number }[]): Map<string, number> {
  const marks = new Map<string, number>()
  for (const { collection, position } of writes) marks.set(collection, Math.max(position, marks.get(collection) ?? 0))
  return marks
}

/** How far one process has seen the views: what is stored is never behind it, or is not what was written. */
export class SeenViews {
  readonly #collections: readonly string[]
  #generation: unknown
  readonly #marks = new Map<string, number>()
  readonly #checkpoints = new Map<string, number>()

  /** @param collections all of the views: each carries a mark from the moment it is made */
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

  /** As it is now: what is read from now on is held against it, whatever others see meanwhile. */
  copy(): SeenViews {
    const copy = new SeenViews(this.#collections)
    copy.#generation = this.#generation
    for (const [collection, mark] of this.#marks) copy.#marks.set(collection, mark)
    for (const [projection, position] of this.#checkpoints) copy.#checkpoints.set(projection, position)
    return copy
  }

  /** Of another generation nothing has been seen yet. */
  #turnTo(generation: unknown): void {
    if (generation === this.#generation) return
    this.#generation = generation
    this.#marks.clear()
    this.#checkpoints.clear()
  }

  /** Takes note of what a reader has read. @throws ViewsUnreadableError it is behind what was seen */
  read(generation: unknown, collection: string, mark: number | undefined): void {
    if (mark === undefined || mark < this.mark(generation, collection)) throw new ViewsUnreadableError()
    this.noteMark(generation, collection, mark)
  }

  /** What is wrong with stored views; undefined: they hold together, and are all that was seen of them. */
  problemOf(state: StoredState, projections: readonly string[]): string | undefined {
    return this.#brokenBy(state) ?? this.#lostBy(state, projections)
  }

  /** What is wrong with stored views as such, whatever was seen of them before. */
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

  /** What is missing from stored views of the same generation that was seen before. */
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

  /** @throws ViewsLostError a writer finds less than it has seen, or views that do not hold together */
  verify(state: StoredState, projections: readonly string[]): void {
    const what = this.problemOf(state, projections)
    if (what !== undefined) throw new ViewsLostError(what)
  }
}
