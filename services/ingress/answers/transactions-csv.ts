import type { CreditsTransaction } from '#contracts/generated/http.ts'

const columns = [
  'createdAt',
  'type',
  'amount',
  'balance',
  'reason',
  'jobId',
  'operation',
  'keyId',
] as const satisfies readonly (keyof CreditsTransaction)[]

/** Quoted where RFC 4180 asks for it. */
function fieldOf(value: string | number | null): string {
  const text = String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Transactions as CSV (RFC 4180), with a header line; what is null is empty. */
export const csvOf = (transactions: readonly CreditsTransaction[]): string =>
  [columns, ...transactions.map((line) => columns.map((column) => fieldOf(line[column])))]
    .map((fields) => `${fields.join(',')}\r\n`)
    .join('')
