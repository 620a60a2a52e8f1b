import { fileURLToPath } from 'node:url'
import { figure, megabytes, milliseconds, perSecond, times } from '../kit/figures.ts'
import { median } from '../kit/percentiles.ts'
import type { Bench, Figures, Part, Row } from '../part.ts'
import { asked, historyCommand, used } from './analysts/asked.ts'

const EVENTS = 1_000_000
const ROUNDS = 5
/** Measures the shell and DuckDB alone in turn, so that other work of the machine affects both. */
const SHELLS = 3
const EXPORT_AT_MOST_BYTES = 400e6
const VERIFY_AT_LEAST = 60_000
const MORE_AT_MOST_SECONDS = 1
const SLOWER_AT_MOST = 1.5
const LARGER_AT_MOST = 1.3

/**
 * Questions about the files themselves, with one row each as the answer. Only the shell has the tables: they are its
 * views.
 */
const questions = [
  'SELECT count(*) AS events, count(DISTINCT stream) AS streams, max(position) AS last FROM events',
  "SELECT sum((data ->> 'charged')::BIGINT) AS charged FROM events WHERE type = 'CreditsSettled'",
  `SELECT median(seconds) AS seconds FROM (
    SELECT epoch(max(recorded_at)) - epoch(min(recorded_at)) AS seconds FROM events WHERE category = 'job' GROUP BY stream
  )`.replaceAll(/\s+/g, ' '),
]

type Answered = Awaited<ReturnType<typeof asked>>

const laterSeconds = (all: readonly Answered[]): number[] => all.flatMap(({ seconds }) => seconds.slice(1))
const peakOf = (all: readonly Answered[]): number => median(all.map(({ peakBytes }) => peakBytes))

async function beside(dataDir: string, archive: string): Promise<Row[]> {
  const duckDb = [fileURLToPath(new URL('../rivals/duckdb-process.ts', import.meta.url)), archive]
  const shell = historyCommand(['sql', '--json', '--archive', archive])
  const [question = ''] = questions
  const all = Array.from({ length: ROUNDS }, () => questions).flat()
  const [single, alone] = [[] as number[], [] as number[]]
  for (let round = 0; round < ROUNDS; round++) {
    alone.push((await used(duckDb, dataDir, `${question};\n`)).seconds)
    single.push((await used(historyCommand(['sql', question, '--archive', archive]), dataDir)).seconds)
  }
  const [theirs, ours] = [[] as Answered[], [] as Answered[]]
  for (let round = 0; round < SHELLS; round++) {
    // The first question of each shell includes the wait for its start.
    theirs.push(await asked(duckDb, dataDir, [question, ...all]))
    ours.push(await asked(shell, dataDir, [question, ...all]))
  }
  const [our, their] = [laterSeconds(ours), laterSeconds(theirs)]
  const [ourPeak, theirPeak] = [peakOf(ours), peakOf(theirs)]
  const more = median(single) - median(alone)
  const ratio = median(our.map((one, index) => one / (their[index] ?? Number.NaN)))
  const larger = ourPeak / theirPeak
  return [
    {
      what: 'a single question (`history -- sql "…"`), from the start of the command to its end',
      measured: `${figure(median(single))} s`,
      against: `DuckDB alone: ${figure(median(alone))} s`,
      wanted: `≤ DuckDB + ${MORE_AT_MOST_SECONDS} s`,
      met: more <= MORE_AT_MOST_SECONDS,
    },
    {
      what: 'a question to the shell (`history -- sql`) from its second on; three questions about a million events in turn',
      measured: milliseconds(median(our) * 1000),
      against: `DuckDB alone: ${milliseconds(median(their) * 1000)}`,
      ratio: times(ratio),
      wanted: `≤ ${times(SLOWER_AT_MOST)}`,
      met: ratio <= SLOWER_AT_MOST,
    },
    {
      what: 'the most memory of the shell with these questions',
      measured: megabytes(ourPeak),
      against: `DuckDB alone: ${megabytes(theirPeak)}`,
      ratio: times(larger),
      wanted: `≤ ${times(LARGER_AT_MOST)}`,
      met: larger <= LARGER_AT_MOST,
    },
  ]
}

async function run(bench: Bench): Promise<Figures> {
  const { dataDir, events } = await bench.histories.of(EVENTS * bench.scale)
  const archive = `${dataDir}-analysts`
  const exported = await used(historyCommand(['export', '--to', archive]), dataDir)
  const verified = await used(historyCommand(['verify']), dataDir)
  const rate = events / verified.cpuSeconds
  return {
    rows: [
      ...(await beside(dataDir, archive)),
      {
        what: `the most memory of an export of ${figure(events)} events`,
        measured: megabytes(exported.peakBytes),
        wanted: `≤ ${megabytes(EXPORT_AT_MOST_BYTES)}`,
        met: exported.peakBytes <= EXPORT_AT_MOST_BYTES,
      },
      {
        what: 'the whole of `verify`, file and views included, by the CPU time of the command',
        measured: perSecond(rate),
        wanted: `≥ ${perSecond(VERIFY_AT_LEAST)}`,
        met: rate >= VERIFY_AT_LEAST,
        why: "SQLite's own check of the file is in it, and the start of Node.",
      },
    ],
  }
}

export const analysts: Part = { name: 'analysts', title: 'Analysts', run }
