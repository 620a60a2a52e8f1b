/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { CreditsTransaction } from '#contracts/generated/http.ts'
import { failures, isFailureCode } from '#packages/domain/job/failure.ts'
import { Marked } from '../../look/marked.tsx'
import { formatNumber, formatSigned, Scroll, TableHead, Time } from '../../look/parts.tsx'
import { type LedgerRow, rowsOf } from './ledger-rows.ts'

type Lines = readonly CreditsTransaction[]

/** A job's display name, and its own message of why it failed. */
export type LineJob = { name: string; cause: string | undefined }

type LedgerParts = {
  lines: Lines
  /** The address of the organization's jobs; undefined: the reader may not see them. */
  base?: string
  /** Whether to show one row per job. Otherwise every line is shown, with the balance after it. */
  byJob?: boolean
  /** By their ids. */
  jobs?: ReadonlyMap<string, LineJob>
}

/** One page of the ledger, newest first, with the check that its lines add up. */
export const LedgerLines = ({ lines, base, byJob = false, jobs = new Map() }: LedgerParts): VNode =>
  lines.length === 0 ? (
    <p class="quiet">No entries.</p>
  ) : (
    <>
      <Proof lines={lines} />
      <Scroll label="Entries of the ledger">
        <table class="lines">
          <caption class="hidden">
            {byJob ? 'Changes of the balance, one row per job' : 'Every change of the balance'}
          </caption>
          <TableHead
            columns={['When', 'What', { number: 'Credits' }, ...(byJob ? [] : [{ number: 'Balance' } as const])]}
          />
          <tbody>
            {(byJob ? rowsOf(lines) : lines.map((line) => ({ line, amount: line.amount, isWhole: false }))).map(
              (row) => (
                <Row key={keyOf(row)} row={row} base={base} hasBalance={!byJob} job={jobs.get(row.line.jobId ?? '')} />
              ),
            )}
          </tbody>
        </table>
      </Scroll>
    </>
  )

const keyOf = ({ line }: LedgerRow): string => `${line.createdAt} ${line.type} ${line.jobId} ${line.balance}`

type RowParts = { row: LedgerRow; base: string | undefined; hasBalance: boolean; job: LineJob | undefined }

function Row({ row, base, hasBalance, job }: RowParts): VNode {
  const { line, amount, isWhole } = row
  const words = isWhole ? endedWords(row) : wordsOf(line)
  return (
    <tr>
      <td class="when">
        <Time at={line.createdAt} />
      </td>
      <td>
        {line.jobId === null || base === undefined ? (
          words
        ) : (
          <>
            {words}: <a href={`${base}/jobs/${line.jobId}`}>{job?.name ?? `job …${line.jobId.slice(-8)}`}</a>
          </>
        )}{' '}
        <span class="quiet small">{line.type === 'settlement' && <Marked text={job?.cause ?? causeOf(line)} />}</span>
      </td>
      <td class="number">{formatSigned(amount)}</td>
      {hasBalance && <td class="number balance">{formatNumber(line.balance)}</td>}
    </tr>
  )
}

export type Sum = { opening: number; changes: number; closing: number; addsUp: boolean }

/** Each line must begin at the balance where the one before it ended. Together they lead from opening to closing. */
export function sumOf(lines: Lines): Sum {
  const oldest = lines.at(-1)
  const opening = oldest === undefined ? 0 : oldest.balance - oldest.amount
  const changes = lines.reduce((sum, { amount }) => sum + amount, 0)
  const closing = lines[0]?.balance ?? 0
  const isUnbroken = lines.every(({ balance, amount }, index) => {
    const before = lines[index + 1]
    return before === undefined || before.balance + amount === balance
  })
  return { opening, changes, closing, addsUp: isUnbroken && opening + changes === closing }
}

function Proof({ lines }: { lines: Lines }): VNode {
  const { opening, changes, closing, addsUp } = sumOf(lines)
  return (
    <p class={addsUp ? 'notice proof' : 'notice bad proof'}>
      <span>
        Opening balance <strong>{formatNumber(opening)}</strong>
      </span>
      <span>
        Change <strong>{formatSigned(changes)}</strong>
      </span>
      <span>
        Closing balance <strong>{formatNumber(closing)}</strong>
      </span>
      <span class={addsUp ? 'badge good' : 'badge bad'}>
        {addsUp ? '✓ Adds up' : '✗ Does not add up: tell the operator'}
      </span>
    </p>
  )
}

/** The outcome of an ended job. */
function endedWords({ line: { operation, reason, batchId }, amount }: LedgerRow): string {
  const job = operation === 'extraction' ? 'Extraction' : 'Transcript'
  const what = batchId === null ? job : `${job} of a batch`
  return reason === 'completed' || amount !== 0 ? what : `${what}, not charged`
}

function wordsOf({ type, reason, operation, batchId }: CreditsTransaction): string {
  const job = operation ?? 'job'
  switch (type) {
    case 'grant':
      return reason === 'sign_up' ? 'Sign-up credits' : 'Granted by the operator'
    case 'plan_change':
      return `Plan changed to ${reason}`
    case 'renewal':
      return `Renewed for ${reason}`
    case 'hold':
      return 'Held for a batch'
    case 'release':
      return 'Refunded: a batch ended'
    case 'debit':
      if (batchId !== null) return `From the hold of a batch, for a${job === 'extraction' ? 'n' : ''} ${job}`
      return `Held for a${job === 'extraction' ? 'n' : ''} ${job}`
    case 'settlement':
      return reason === 'completed' ? `Settled: ${job} completed` : `Refunded: ${job} failed`
    case 'opening':
      return 'Opening balance: older transactions are no longer kept'
  }
}

/** Why a job failed, if its own message is unknown. */
const causeOf = ({ reason }: CreditsTransaction): string =>
  reason !== null && isFailureCode(reason) ? failures[reason].message : ''
