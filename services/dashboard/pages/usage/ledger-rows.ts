import type { CreditsTransaction } from '#contracts/generated/http.ts'

/** A row of the ledger: one line, or both lines of a job combined into its final cost. */
export type LedgerRow = {
  line: CreditsTransaction
  /** The change of the balance, credits. */
  amount: number
  /** Whether it combines both lines of an ended job. */
  isWhole: boolean
}

/**
 * One row per job, in the place of its settlement. A running job has only the row of its debit. If debit and settlement
 * are on different pages, each has its own row. So the rows of a page always have the sum of its lines.
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
