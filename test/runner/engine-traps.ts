import type { Outcome } from './report.ts'

/** A test that shows our answer to a trap of an engine. */
export type TrapRow = { id: string; file: string; title: string }

/** The rows of ops/adr/engine-traps.md. A title may be the end or a part of the full one. */
export function trapRows(markdown: string): TrapRow[] {
  return [...markdown.matchAll(/^\| ([A-Z]\d+) \| .+ \| `([^`]+)`: (.+) \|$/gm)].map(
    ([, id = '', file = '', title = '']) => ({ id, file, title }),
  )
}

/**
 * Checks the traps with a test in one of the files that ran. A trap fails if its test is no longer there, or was
 * skipped. Failed tests have been reported already, and so have tests that were left out because this machine lacks
 * their engine.
 */
export function trapOutcomes(rows: readonly TrapRow[], ran: readonly Outcome[]): Outcome[] {
  const byFile = Map.groupBy(ran, ({ file }) => file)
  return rows.flatMap(({ id, file, title }): Outcome[] => {
    const outcomes = byFile.get(file)
    if (outcomes === undefined) return []
    const found = outcomes.filter((outcome) => outcome.title.includes(title))
    if (found.some(({ state, lack }) => state !== 'skipped' || lack)) return []
    const report = `ops/adr/engine-traps.md: no test of ${file} is called “${title}”, or it was skipped`
    return [{ state: 'failed', file, title: `answer to trap ${id}`, report, ms: 0 }]
  })
}
