/** Data that was sealed before it is stored: without the key it cannot be read. */
export type SealedEntry = { id: string; orgId: string; sealed: string }

/**
 * Stores sealed entries of organizations, such as the URLs and secrets of webhooks, beside the accounts. They must be
 * forgotten one day, and a history forgets nothing. A mark without a secret, such as that of a sent mail, needs no seal.
 *
 * Guarantees:
 * - When the promise of a change resolves, the change is on disk, and every process sees it at once.
 * - While the store is away, methods reject with UnreachableError within seconds. Every method may simply be called
 * again.
 */
export interface SealedEntries {
  /**
   * Stores an entry, if the stored one is as expected.
   * @param before the content of the entry to replace; undefined: none is stored
   * @returns false if another content is stored; then nothing has changed
   */
  putSealed(entry: SealedEntry, before: string | undefined): Promise<boolean>
  sealed(id: string): Promise<SealedEntry | undefined>
  /** @param held the entry is removed only if it has this content; missing: whatever it has */
  removeSealed(id: string, held?: string): Promise<void>
  /** Removes all entries of an organization. */
  removeSealedOf(orgId: string): Promise<void>
}
