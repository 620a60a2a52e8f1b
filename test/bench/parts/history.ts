import { figure, perSecond } from '../kit/figures.ts'
import type { Bench, Figures, Growth, Part } from '../part.ts'
import { ask } from './history/ask.ts'
import { backupBeside } from './history/backup.ts'
import { weekWithRetention } from './history/week.ts'

const SIZES = [10_000, 100_000, 1_000_000]
const AS_OF_AT_MOST_SECONDS = 1
const REPLAY_AT_LEAST = 100_000
const VERIFY_AT_LEAST = 100_000
const EXPORT_AT_MOST_SECONDS = 10

async function run(bench: Bench): Promise<Figures> {
  const asOf: Growth['values'][number][] = []
  const replays: Growth['values'][number][] = []
  const verified: Growth['values'][number][] = []
  const exports: Growth['values'][number][] = []
  let exportSeconds = 0
  for (const size of SIZES.map((events) => events * bench.scale)) {
    const { dataDir, events, customers } = await bench.histories.of(size)
    const { orgId = '' } = customers[0] ?? {}
    const secondsOf = async (...words: string[]): Promise<number> => (await ask(dataDir, words)).seconds
    asOf.push({ size, value: await secondsOf('as-of', new Date().toISOString(), 'balance', orgId) })
    replays.push({ size, value: events / (await secondsOf('replay', '--projection', 'ops/analysts/template.ts')) })
    // With --from neither the file nor the views are compared.
    verified.push({ size, value: events / (await secondsOf('verify', '--from', '1')) })
    const perEvent = (await secondsOf('export', '--to', `${dataDir}-archive`, '--json')) / events
    exportSeconds = perEvent * 1_000_000
    exports.push({ size, value: 1 / perEvent })
  }
  const week = await weekWithRetention(bench)
  const [seconds, rate] = [asOf.at(-1)?.value ?? 0, replays.at(-1)?.value ?? 0]
  const verifiedRate = verified.at(-1)?.value ?? 0
  return {
    rows: [
      {
        what: 'a balance as of a time, from the start of the command to its end',
        measured: `${figure(seconds)} s`,
        wanted: `≤ ${AS_OF_AT_MOST_SECONDS} s`,
        met: seconds <= AS_OF_AT_MOST_SECONDS,
      },
      {
        what: "the whole history by an analyst's projection, from the start of the command to its end",
        measured: perSecond(rate),
        wanted: `≥ ${perSecond(REPLAY_AT_LEAST)}`,
        met: rate >= REPLAY_AT_LEAST,
      },
      {
        what: 'every invariant that events can show, checked over the whole history, from the start of the command to its end',
        measured: perSecond(verifiedRate),
        wanted: `≥ ${perSecond(VERIFY_AT_LEAST)}`,
        met: verifiedRate >= VERIFY_AT_LEAST,
      },
      {
        what: 'a million events exported as Parquet files, from the start of the command to its end',
        measured: `${figure(exportSeconds)} s`,
        wanted: `≤ ${EXPORT_AT_MOST_SECONDS} s`,
        met: exportSeconds <= EXPORT_AT_MOST_SECONDS,
      },
      ...(await backupBeside(bench)),
      ...week.rows,
    ],
    growth: [
      { what: 'as of a time', unit: ' s', grows: 'events', values: asOf },
      { what: "replay by an analyst's projection", unit: ' events/s', grows: 'events', values: replays },
      { what: 'every invariant checked', unit: ' events/s', grows: 'events', values: verified },
      ...week.growth,
      { what: 'export', unit: ' events/s', grows: 'events', values: exports },
    ],
  }
}

export const history: Part = { name: 'history', title: 'The history', run }
