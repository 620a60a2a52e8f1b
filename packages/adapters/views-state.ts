import {
  type AppliedTo,
  type GuardedChange,
  ViewsLostError,
  ViewsReplacedError,
  ViewsUnreadableError,
  viewsProblem,
} from '#packages/ports/views.ts'

/**
 * The document that identifies the views, and records how far they have come. Its name contains the version of their
 * definition.
 */
export type ViewsState = {
  /** The id of the event store that they are made from. */
  store: string
  /** Rebuilt views have a greater number. */
  generation: number
  /** A restart reads the feed from here on. */
  checkpoint: number
  /** Everything up to here that a caller may wait for is written. */
  applied: number
  /** True once they have reached the end of the feed. */
  isReadable: boolean
}

/** The state of new, empty views. */
export const emptyState = (store: string, generation: number): ViewsState => {
  return { store, generation, checkpoint: 0, applied: 0, isReadable: false }
}

/** The state after a batch; it never moves backwards. */
export const movedTo = (state: ViewsState, { position, checkpoint = 0 }: AppliedTo): ViewsState => ({
  ...state,
  applied: Math.max(state.applied, position),
  checkpoint: Math.max(state.checkpoint, checkpoint),
})

/**
 * The changes after the checkpoint. Repeating earlier ones would restore documents that were removed since. Removals
 * come last, so that no older change of the batch follows them.
 */
export function unappliedOf(changes: readonly GuardedChange[], { checkpoint }: ViewsState): GuardedChange[] {
  const unapplied = changes.filter(({ position }) => position > checkpoint)
  return [...unapplied.filter((one) => !('removes' in one)), ...unapplied.filter((one) => 'removes' in one)]
}

/** Whether `one` has everything that `other` has, including what is written only with a checkpoint. */
export const hasPassed = (one: ViewsState, other: ViewsState): boolean =>
  one.applied >= other.applied && one.checkpoint >= other.checkpoint

/** The number of views that are rebuilt now: greater than all known numbers, even if the database was emptied. */
export const nextGeneration = (now: number, ...known: number[]): number =>
  Math.max(now, ...known.map((each) => each + 1))

/** The views that one writer has begun, and their state after its last write. */
export class BegunViews {
  #state: ViewsState | undefined

  /** @throws ViewsReplacedError nothing is begun */
  get state(): ViewsState {
    if (this.#state === undefined) throw new ViewsReplacedError()
    return this.#state
  }

  get generation(): number {
    return this.#state?.generation ?? 0
  }

  note(state: ViewsState): void {
    this.#state = state
  }

  /**
   * Why stored views have to be rebuilt; undefined if they need not be.
   * @param store the id of the event store; undefined: any
   */
  problemOf(stored: ViewsState | undefined, store: string | undefined): string | undefined {
    const begun = this.#state
    if (stored === undefined) return 'there are none'
    if (store !== undefined && stored.store !== store) return 'they are of another event store'
    if (begun === undefined || stored.generation > begun.generation) return undefined
    if (stored.generation < begun.generation) return 'older ones are in their place'
    if (!hasPassed(stored, begun)) return 'they are older than what was written'
    if (begun.isReadable && !stored.isReadable) return 'they were readable, and are not any more'
    return undefined
  }

  /** @throws ViewsLostError stored views have to be rebuilt @throws ViewsReplacedError others have written since */
  assertOurs(stored: ViewsState | undefined, store: string | undefined): ViewsState {
    const { generation, applied } = this.state
    const what = this.problemOf(stored, store)
    if (stored === undefined || what !== undefined) throw new ViewsLostError(what ?? 'there are none')
    if (stored.generation !== generation || stored.applied !== applied) throw new ViewsReplacedError()
    return stored
  }
}

/** The state that one reader has seen last. */
export class SeenViews {
  #seen: ViewsState = emptyState('', 0)

  /**
   * @param store the id of the event store; undefined if it is not known
   * @throws ViewsUnreadableError they are being rebuilt, or are older than what was seen
   */
  assertReadable(stored: ViewsState | undefined, store: string | undefined): ViewsState {
    const isReadable = stored?.isReadable && (store === undefined || stored.store === store)
    const seen = this.#seen
    if (!isReadable || (stored.generation <= seen.generation && !hasPassed(stored, seen)))
      throw new ViewsUnreadableError()
    this.#seen = stored
    return stored
  }
}

/** What keeps the views from being read; undefined if `look` can read them. */
export async function problemOf(look: () => unknown): Promise<string | undefined> {
  try {
    await look()
    return undefined
  } catch (error) {
    if (error instanceof ViewsUnreadableError) return viewsProblem
    throw error
  }
}
