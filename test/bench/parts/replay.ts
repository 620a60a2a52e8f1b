import { perSecond } from '../kit/figures.ts'
import { startTested } from '../kit/start.ts'
import type { Bench, Figures, Growth, Part } from '../part.ts'

const SIZES = [10_000, 100_000, 1_000_000]
const FOLD_AT_LEAST = 150_000
const REBUILD_AT_LEAST = 50_000

async function run(bench: Bench): Promise<Figures> {
  const folds: Growth['values'][number][] = []
  const rebuilds: Growth['values'][number][] = []
  for (const size of SIZES.map((events) => events * bench.scale)) {
    const { dataDir, events, rebuildSeconds } = await bench.histories.of(size)
    await using child = startTested(bench, new URL('../service/fold-process.ts', import.meta.url))
    // The first reading warms up the code.
    if (size === SIZES[0]) await child.call('fold', { dataDir })
    folds.push({ size, value: await child.call<number>('fold', { dataDir }) })
    rebuilds.push({ size, value: events / rebuildSeconds })
  }
  const [fold, rebuild] = [folds.at(-1)?.value ?? 0, rebuilds.at(-1)?.value ?? 0]
  const events = (SIZES.at(-1) ?? 0) * bench.scale
  return {
    rows: [
      {
        what: `events folded into memory (${events.toLocaleString('en-US')}, read from SQLite)`,
        measured: perSecond(fold),
        wanted: `≥ ${perSecond(FOLD_AT_LEAST)}`,
        met: fold >= FOLD_AT_LEAST,
      },
      {
        what: 'the same events made into all views, in SQLite',
        measured: perSecond(rebuild),
        wanted: `≥ ${perSecond(REBUILD_AT_LEAST)}`,
        met: rebuild >= REBUILD_AT_LEAST,
      },
    ],
    growth: [
      { what: 'fold', unit: ' events/s', grows: 'events', values: folds },
      { what: 'rebuild of the views', unit: ' events/s', grows: 'events', values: rebuilds },
    ],
  }
}

export const replay: Part = { name: 'replay', title: 'Replay', run }
