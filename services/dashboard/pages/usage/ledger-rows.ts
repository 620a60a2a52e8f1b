import type { CreditsTransaction } from '#contracts/generated/http.ts'

/** A row of the ledger: one of its lines, or both of a job as what it has cost in the end. */
export type LedgerRow = {
  line: CreditsTransaction
  /** By how many credits the balance has changed. */
  amount: number
  /** Both lines of an ended job are in it. */
  isWhole: boolean
}

/**
 * One row a job, in the place of its settlement. A job that is still at work has its debit alone, and so has each of the
 * two where they stand on different pages: the rows of a page always have the sum of its lines.
 */
export function rowsOf(lines: readonly CreditsTransaction[]): LedgerRow[] {
  const debits = new Map(lines.flatMap((line) => (line.type === 'debit' ? [[line.jobId, line] as const] : [])))
  const settled = new Set(lines.flatMap(({ type, jobId }) => (type === 'settlement' ? [jobId] : [])))
  return lines.flatMap((line) => {
    if (line.type === 'debit' && settled.has(line.jobId)) return []
    const debit = line.type === 'settlement' ? debits.get(line.jobId) : undefined
    return [{ line, amount: line.amount + (debit?.amount ?? 0), isWhole: debit !== undefined }]
  })
}
