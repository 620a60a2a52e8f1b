/**
 * Elects one owner among the processes of a group. It promises little, so that little can break. While any process
 * takes part, there is soon an owner again, even if the last one vanished. A process that joins, or leaves without
 * being the owner, changes nothing. For a while there may be two owners, or none, so the work of an owner must be
 * harmless when two do it.
 */
export interface Ownership {
  /**
   * Takes part until the signal is aborted, which ends the iteration without an error. Yields whether this process is
   * the owner as soon as that is known, and again when it changes. After several changes at once, yields only the
   * newest.
   */
  owned(signal: AbortSignal): AsyncIterable<boolean>
}
