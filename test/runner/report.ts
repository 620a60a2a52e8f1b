import type { Lack } from './left-out.ts'

/** The outcome of one test, one check or one test process. */
export type Outcome = {
  state: 'passed' | 'failed' | 'skipped'
  /** The path of its file, from the project's root. */
  file: string
  /** Its full title. The title of a skipped test gives the reason. */
  title: string
  /** The error, ready to print. Empty unless failed. */
  report: string
  ms: number
  /** Why it was left out, if it needs what this machine lacks. */
  lack?: Lack
}

const marks = { passed: '✓', failed: '✗', skipped: '-' }
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

function countOf(outcomes: readonly Outcome[]): string {
  const count = (state: Outcome['state']): number => outcomes.filter((outcome) => outcome.state === state).length
  return `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`
}

/** The beginning of a report, indented. So the end of a log is enough to see what went wrong. */
const shortened = (report: string): string[] =>
  report
    .split('\n')
    .slice(0, 12)
    .flatMap((line) => (line.trim() === '' ? [] : [`      ${line}`]))

/**
 * Collects outcomes and prints them: a line for each file as it ends, and at the end what failed and what was skipped.
 */
export class Report {
  readonly #outcomes: Outcome[] = []
  readonly #print: (line: string) => void

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  get ok(): boolean {
    return (
      this.#outcomes.some(({ state }) => state === 'passed') && !this.#outcomes.some(({ state }) => state === 'failed')
    )
  }

  /** Every outcome it was given. */
  get outcomes(): readonly Outcome[] {
    return this.#outcomes
  }

  /** Adds all outcomes of one file, and prints its line and its failures. */
  add(file: string, outcomes: readonly Outcome[]): void {
    this.#outcomes.push(...outcomes)
    const failed = outcomes.filter(({ state }) => state === 'failed')
    const mark =
      failed.length > 0
        ? marks.failed
        : outcomes.every(({ state }) => state === 'skipped')
          ? marks.skipped
          : marks.passed
    const ms = outcomes.reduce((sum, outcome) => sum + outcome.ms, 0)
    this.#print(`${mark} ${file}  ${countOf(outcomes)}  ${seconds(ms)}`)
    for (const { title, report } of failed)
      this.#print(`  ${marks.failed} ${title}\n${report.replace(/^/gm, '      ')}`)
  }

  /** Prints a figure that a test has measured. */
  measured(text: string): void {
    this.#print(`  ${text}`)
  }

  /**
   * Prints the closing summary: what failed and what was skipped, and one line for each thing that this machine lacks.
   * Its last line is `N passed, N failed, N skipped`.
   */
  close(): void {
    const leftOut = this.#outcomes.filter(({ lack }) => lack !== undefined)
    for (const [why, some] of Map.groupBy(leftOut, ({ lack }) => lack?.why.replace(/\s+/g, ' '))) {
      const needs = [...new Set(some.map(({ lack }) => lack?.needs))].sort().join(' and ')
      const files = new Set(some.map(({ file }) => file)).size
      this.#print(
        `\n${marks.skipped} ${needs}: ${counted(some.length, 'test')} of ${counted(files, 'file')} left out: ${why}`,
      )
    }
    this.#list('Skipped', 'skipped')
    this.#list('Failed', 'failed')
    this.#print('')
    this.#print(countOf(this.#outcomes))
  }

  #list(heading: string, state: Outcome['state']): void {
    const some = this.#outcomes.filter((outcome) => outcome.state === state && !outcome.lack)
    if (some.length > 0) this.#print(`\n${heading}:`)
    for (const { file, title, report } of some)
      this.#print([`  ${marks[state]} ${file}: ${title}`, ...shortened(report)].join('\n'))
  }
}
