import { createRequire } from 'node:module'
import type { prettyFactory } from 'pino-pretty'
import { printableLines } from '#packages/foundation/printable/printable.ts'

/** Texts of a line may come from strangers, and must not control the terminal. */
const shown = (_name: string, value: unknown): unknown => (typeof value === 'string' ? printableLines(value) : value)

/**
 * Makes log lines readable for a person at a terminal, including errors with their stacks.
 * @returns a function that takes a line as JSON
 */
export function readableLines(): (line: string) => string {
  // Takes 0.2 s to load, so it is loaded only for a terminal.
  const pretty = createRequire(import.meta.url)('pino-pretty') as { prettyFactory: typeof prettyFactory }
  const prettify = pretty.prettyFactory({ singleLine: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'service' })
  return (line) => prettify(JSON.parse(line, shown) as object).trimEnd()
}
