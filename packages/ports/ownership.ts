/**
 * Elects one owner among the processes of a group.
 *
 * It promises little, so that little can break: while any process takes part, there is an owner again before long, also
 * where the last one has ended without a word. Another process that joins, or leaves without being the owner, changes
 * nothing. For a while there may be two owners, or none: what owners do must be harmless when two do it.
 */
export interface Ownership {
  /**
   * Takes part until the signal is aborted, which ends the iteration without an error. Gives whether this process is the
   * owner as soon as that is known, and again when it changes; only the newest, where it changed several times meanwhile.
   */
  owned(signal: AbortSignal): AsyncIterable<boolean>
}
