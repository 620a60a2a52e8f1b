import { asJson } from '#packages/history/as-json.ts'
import { type AsOf, balanceAsOf, jobAsOf, keyAsOf } from '#packages/history/as-of.ts'
import type { HistoryStore } from '#packages/history/history-store.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { CommandOf, Print, Subject } from './command.ts'

type Ask = (store: HistoryStore, id: string, instant: number) => Promise<AsOf<object>>

const asks: Record<Subject, Ask> = { balance: balanceAsOf, job: jobAsOf, key: keyAsOf }

/** Prints a state as it was at an instant. */
export async function asOf(
  store: HistoryStore,
  { what, id, instant, json }: CommandOf<'as-of'>,
  print: Print,
): Promise<void> {
  const found = await asks[what](store, id, instant)
  const lines = json ? [asJson({ asOf: isoOf(instant), what, id, ...found })] : linesOf(found, instant)
  for (const line of lines) print(line)
}

function linesOf({ state, last }: AsOf<object>, instant: number): string[] {
  const rows = Object.entries(state).flatMap(([name, value]) =>
    value === undefined ? [] : [row(name, shown(name, value))],
  )
  const made = last && `${last.stream} #${last.revision}, position ${last.position}, recorded ${isoOf(last.recordedAt)}`
  return [...rows, row('last event', made ?? `none by ${isoOf(instant)}`)]
}

const row = (name: string, text: string): string => `${name.padEnd(16)}${text}`

/** Instants are fields that end in `At`. */
const shown = (name: string, value: unknown): string => {
  if (typeof value === 'number' && /At$/.test(name)) return isoOf(value)
  return typeof value === 'string' ? value : asJson(value)
}
