/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { LedgerBusyError } from '#packages/foundation/errors/ledger-busy-error.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { Notice } from './parts.tsx'

/** What was read. `missing`: the store or the views are unavailable. */
export type OrMissing<T> = { missing: true } | { missing: false; value: T }

const isAway = (error: unknown): boolean => error instanceof UnreachableError || error instanceof LedgerBusyError

/**
 * Reads one part of a page. If the store or the views are unavailable, the rest of the page is still worth showing.
 * @throws every other error
 */
export async function orMissing<T>(read: () => Promise<T>): Promise<OrMissing<T>> {
  try {
    return { missing: false, value: await read() }
  } catch (error) {
    // The log and /ready already report what is unavailable.
    if (isAway(error)) return { missing: true }
    throw error
  }
}

/** Replaces what could not be read. `what`: the beginning of a sentence, such as `Your jobs`. */
export const Missing = ({ what }: { what: string }): VNode => (
  <Notice tone="warn">
    <p>
      <strong>{what} cannot be shown right now.</strong> Nothing is lost: accepted jobs are stored and continue as soon
      as possible. Reload this page in a moment.
    </p>
  </Notice>
)
