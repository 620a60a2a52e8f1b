import type { StoredEvent } from '#packages/ports/event-store.ts'

/** The place of an event, without its content. */
export type EventPlace = Pick<StoredEvent, 'type' | 'stream' | 'revision' | 'position' | 'id' | 'recordedAt'>

/** An event that breaks an invariant, and how. */
export type Break = EventPlace & { what: string }

/** The findings about one invariant. */
export type Outcome = {
  /** Its number in ops/architecture.md; empty for the basic checks that all invariants depend on. */
  number: string
  promise: string
  /** How often it was checked. */
  checked: number
  /** How often it was broken; 0: it holds. */
  broken: number
  /** The first event that breaks it. */
  first: Break | undefined
  /** What could not be checked, by reason. */
  left: Record<string, number>
}

export const placeOf = ({ type, stream, revision, position, id, recordedAt }: EventPlace): EventPlace => ({
  type,
  stream,
  revision,
  position,
  id,
  recordedAt,
})

/** Counts the findings about one invariant. Keeps only the first break, because a broken history may have millions. */
export class Verdict {
  readonly number: string
  readonly promise: string
  #checked = 0
  #broken = 0
  #first: Break | undefined
  readonly #left = new Map<string, number>()

  constructor(number: string, promise: string) {
    this.number = number
    this.promise = promise
  }

  checked(): void {
    this.#checked++
  }

  /** @param event the one that breaks it. The first in the feed is kept, in whatever order they are found */
  broken(event: EventPlace, what: string): void {
    this.#broken++
    if (this.#first === undefined || event.position < this.#first.position) this.#first = { ...placeOf(event), what }
  }

  /** Records something that cannot be checked. */
  left(why: string): void {
    this.#left.set(why, (this.#left.get(why) ?? 0) + 1)
  }

  get outcome(): Outcome {
    return {
      number: this.number,
      promise: this.promise,
      checked: this.#checked,
      broken: this.#broken,
      first: this.#first,
      left: Object.fromEntries(this.#left),
    }
  }
}
