import type { ArchiveFinding } from '#packages/history/archive/check-archive.ts'
import { changesOf } from '#packages/history/questions/changes.ts'
import type { ViewDifference, ViewsComparison } from '#packages/history/questions/verify/compare-views.ts'
import type { Outcome } from '#packages/history/questions/verify/outcome.ts'
import type { Verified } from '#packages/history/questions/verify/verify-history.ts'
import { isoOf } from '#packages/ports/clock.ts'

const counted = (count: number): string => count.toLocaleString('en-US')

/** One line about an invariant, by its number. */
const headOf = (number: string, isBroken: boolean, checked: number, promise: string): string =>
  `${number.padStart(3)}  ${isBroken ? 'BROKEN' : 'holds '}  ${counted(checked).padStart(11)}  ${promise}`

const under = (line: string): string => `     ${line}`

/** The result for each invariant: the number of checks, and the first event that breaks it. */
export const linesOfOutcomes = ({ events, outcomes }: Verified): string[] => [
  `${counted(events)} events read; by number in ops/architecture.md, how often each was checked:`,
  ...outcomes.flatMap(linesOf),
  under('8, 10 and 11 cannot be seen in events: npm run simulate checks them'),
]

function linesOf({ number, promise, checked, broken, first, left }: Outcome): string[] {
  const lines = [headOf(number, broken > 0, checked, promise)]
  if (first !== undefined) {
    const { stream, revision, type, position, id, recordedAt, what } = first
    const more = broken > 1 ? `; ${counted(broken - 1)} more break it` : ''
    lines.push(
      under(`${stream} #${revision} ${type}, position ${position}, ${isoOf(recordedAt)}, id ${id}: ${what}${more}`),
    )
  }
  for (const [what, count] of Object.entries(left)) lines.push(under(`not checked: ${counted(count)} ${what}`))
  return lines
}

/** The most fields shown of a document that differs. */
const SHOWN_FIELDS = 5

/** @param views undefined: there are no views */
export function linesOfViews(views: ViewsComparison | undefined): string[] {
  if (views?.position === undefined) return [under('5 is not checked: there are no views, or they are being rebuilt')]
  const { documents, differing, first, moving, cut, position } = views
  const promise = `views equal a fresh replay of the events up to position ${position}`
  const lines = [headOf('5', differing > 0, documents, promise)]
  if (first !== undefined) lines.push(under(lineOfDifference(first, differing)))
  if (moving > 0) lines.push(under(`not checked: ${counted(moving)} documents that changed all the time`))
  if (cut > 0) lines.push(under(`not checked: ${counted(cut)} documents of events that were removed or given up`))
  return lines
}

function lineOfDifference({ collection, id, stored, expected }: ViewDifference, differing: number): string {
  const name = `${collection} ${id}`
  const more = differing > 1 ? `; ${counted(differing - 1)} more differ` : ''
  if (stored === undefined) return `${name} is missing, position ${expected?.position}${more}`
  if (expected === undefined) return `${name} is there, and no event makes it${more}`
  const fields = changesOf(stored, expected).slice(0, SHOWN_FIELDS)
  const shown = fields.map(({ path, one, other }) => `${path} is ${textOf(one)} instead of ${textOf(other)}`)
  return `${name}, position ${stored.position}: ${shown.join(', ')}${more}`
}

const textOf = (value: unknown): string => (JSON.stringify(value) ?? 'missing').slice(0, 80)

export const linesOfFindings = (findings: readonly ArchiveFinding[], files: number): string[] => [
  ...findings.map(({ file, problem }) => `${file} ${problem}`),
  `${counted(files)} files compared with the manifest: ${findings.length === 0 ? 'all are what it says' : 'not all are what it says'}`,
]
