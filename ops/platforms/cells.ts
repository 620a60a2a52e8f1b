import type { SocialPlatform } from '#packages/platforms/registry.ts'

export const operations = ['metadata', 'captions', 'media', 'search', 'profile', 'lists'] as const
export type Operation = (typeof operations)[number]

export type Outcome =
  | { kind: 'works'; note?: string }
  /** The platform refuses, or the video is not available there: a failure code. */
  | { kind: 'refused'; code: string; message: string }
  /** The answer lacks these fields, or can no longer be parsed. */
  | { kind: 'changed'; fields: string[] }
  | { kind: 'left out'; why: string }

/** The outcome of one operation on one target. */
export type Attempt = { target: string } & Outcome

/** One cell of the table platform × operation, with all attempts for it. */
export type Cell = { platform: SocialPlatform; operation: Operation; attempts: Attempt[] }

/**
 * The fields that have changed, which are those missing from every target. A field that is missing from one video may
 * be hidden there.
 */
export function changedIn({ attempts }: Cell): string[] {
  const read = attempts.filter(({ kind }) => kind === 'works' || kind === 'changed')
  const lacking = read.map((attempt) => (attempt.kind === 'changed' ? attempt.fields : []))
  const [first = [], ...rest] = lacking
  return first.filter((field) => rest.every((fields) => fields.includes(field)))
}

const statesOf = (cell: Cell): string => {
  const changed = changedIn(cell)
  if (changed.length > 0) return `shape changed: ${changed.join(', ')}`
  const works = cell.attempts.find(({ kind }) => kind === 'works' || kind === 'changed')
  if (works) return works.kind === 'works' && works.note ? `works (${works.note})` : 'works'
  const [refused] = cell.attempts.flatMap((attempt) => (attempt.kind === 'refused' ? [attempt] : []))
  if (refused) return `refused: ${refused.code}`
  return cell.attempts.flatMap((attempt) => (attempt.kind === 'left out' ? [attempt.why] : []))[0] ?? '–'
}

/** The table, followed by the messages of each target in trouble. */
export function reportOf(cells: readonly Cell[]): string {
  const rows = cells.map((cell) => `  ${cell.platform.padEnd(10)} ${cell.operation.padEnd(9)} ${statesOf(cell)}`)
  const details = cells.flatMap(({ operation, attempts }) =>
    attempts.flatMap((attempt) => {
      if (attempt.kind === 'refused')
        return [`  ${operation} of ${attempt.target}: ${attempt.code}: ${attempt.message}`]
      if (attempt.kind === 'changed')
        return [`  ${operation} of ${attempt.target}: without ${attempt.fields.join(', ')}`]
      return []
    }),
  )
  return [...rows, ...(details.length > 0 ? ['', ...details] : [])].join('\n')
}
