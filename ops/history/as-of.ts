import { asJson } from '#packages/history/questions/as-json.ts'
import { type AsOf, balanceAsOf, jobAsOf, keyAsOf } from '#packages/history/questions/as-of.ts'
import type { HistoryStore } from '#packages/history/questions/history-store.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { streams } from '#packages/ports/ids.ts'
import type { CommandOf, Print, Subject } from './command.ts'

type Ask = (store: HistoryStore, id: string, instant: number) => Promise<AsOf<object>>

const asks: Record<Subject, { ask: Ask; streamOf: (id: string) => string; whose: string }> = {
  balance: { ask: balanceAsOf, streamOf: streams.credits, whose: 'organization' },
  job: { ask: jobAsOf, streamOf: streams.job, whose: 'job' },
  key: { ask: keyAsOf, streamOf: streams.key, whose: 'key' },
}

/** Prints a state at an instant. @throws Error there is no such stream, or it does not reach back so far */
export async function asOf(
  store: HistoryStore,
  { what, id, instant, json }: CommandOf<'as-of'>,
  print: Print,
): Promise<void> {
  const { ask, streamOf, whose } = asks[what]
  const found = await ask(store, id, instant)
  if (found.last === undefined) await assertBeginsLater(store, streamOf(id), `${whose} ${id}`)
  const lines = json ? [asJson({ asOf: isoOf(instant), what, id, ...found })] : linesOf(found, instant)
  for (const line of lines) print(line)
}

/** Makes sure that a wrong id, or a stream that retention removed, is never answered by "none by then". */
async function assertBeginsLater(store: HistoryStore, stream: string, name: string): Promise<void> {
  if ((await store.read(stream, { from: 0, to: 0 })).length > 0) return
  for await (const _event of store.readBackwards(stream))
    throw new Error(`the store no longer has what the ${name} was then: add --archive DIR`)
  throw new Error(`there is no ${name}`)
}

/** Fields that only folding a ledger needs. `--json` shows them. */
const internal = new Set(['exists', 'recordedIn', 'period', 'months', 'renewed', 'fillings', 'spending', 'unstated'])

function linesOf({ state, last }: AsOf<object>, instant: number): string[] {
  const rows = Object.entries(state).flatMap(([name, value]) =>
    value === undefined || ('balance' in state && internal.has(name)) ? [] : [row(name, shown(name, value))],
  )
  const made = last && `${last.stream} #${last.revision}, position ${last.position}, recorded ${isoOf(last.recordedAt)}`
  return [...rows, row('last event', made ?? `none by ${isoOf(instant)}`)]
}

const row = (name: string, text: string): string => `${name.padEnd(16)}${text}`

/** Fields that end in `At` are instants. */
const shown = (name: string, value: unknown): string => {
  if (typeof value === 'number' && /At$/.test(name)) return isoOf(value)
  if (typeof value === 'string') return value
  const text = asJson(value)
  return text === '{}' ? 'none' : text
}
