/** Data that was sealed before it is stored: without the key it cannot be read. */
export type SealedEntry = { id: string; orgId: string; sealed: string }

/**
 * Keeps sealed entries of organizations, such as the URLs and secrets of webhooks, beside the accounts. They have to be
 * forgotten one day, and a history forgets nothing. A mark without a secret, such as that of a sent mail, needs no seal.
 *
 * Guarantees:
 * - When the promise of a change resolves, the change is on disk, and every process sees it at once.
 * - While the store is away, methods reject with UnreachableError within seconds. Every method may simply be called
 *   again.
 */
export interface SealedEntries {
  /**
   * Stores an entry, and replaces the one with its id.
   * @param before what that one holds; undefined: there is none
   * @returns false if it holds something else; then nothing was stored
   */
  putSealed(entry: SealedEntry, before: string | undefined): Promise<boolean>
  sealed(id: string): Promise<SealedEntry | undefined>
  /** @param held removed only while it holds this; missing: whatever it holds */
  removeSealed(id: string, held?: string): Promise<void>
  /** Removes all entries of an organization. */
  removeSealedOf(orgId: string): Promise<void>
}
