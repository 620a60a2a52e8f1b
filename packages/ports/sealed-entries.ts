/** Something that was sealed before it came here: without the key nobody reads it. */
export type SealedEntry = { id: string; orgId: string; sealed: string }

/**
 * Keeps sealed entries of organizations, such as the URLs and secrets of webhooks, beside the accounts: a history forgets
 * nothing, and they have to be forgotten.
 *
 * Guarantees:
 * - A change is on disk when its promise resolves, and is seen by every process at once.
 * - While the store is away, methods reject with UnreachableError within seconds. Every method may simply be called again.
 */
export interface SealedEntries {
  /**
   * Stores an entry in the place of the one with its id.
   * @param before what that one holds; undefined: there is none
   * @returns false where it holds something else: nothing was stored
   */
  putSealed(entry: SealedEntry, before: string | undefined): Promise<boolean>
  sealed(id: string): Promise<SealedEntry | undefined>
  /** @param held removed only while it holds this; missing: whatever it holds */
  removeSealed(id: string, held?: string): Promise<void>
  /** Removes all entries of an organization. */
  removeSealedOf(orgId: string): Promise<void>
}
