/** How many jobs the one owner of each kind can handle when it alone is fed with the events of jobs. */
import { milliseconds, perSecond } from '../kit/figures.ts'
import { startTested } from '../kit/start.ts'
import type { Bench, Figures, Part, Row } from '../part.ts'
import type { Feeding } from '../service/ceiling-process.ts'

const JOBS = 5000

/** Each kind has a process of its own, so that compiled code of one does not help the next. */
async function cpuOf(bench: Bench, feeding: Pick<Feeding, 'fed' | 'settles'>): Promise<number> {
  await using child = startTested(bench, new URL('../service/ceiling-process.ts', import.meta.url))
  const jobs = Math.ceil(JOBS * bench.scale)
  return await child.call<number>('feed', { ...feeding, directory: bench.directory, jobs } satisfies Feeding)
}

async function rowOf(bench: Bench, what: string, feeding: Pick<Feeding, 'fed' | 'settles'>): Promise<Row> {
  const feedingItself = await cpuOf(bench, { settles: feeding.settles })
  const ms = (await cpuOf(bench, feeding)) - feedingItself
  return {
    what: `${what}: jobs of 3 steps and ten events, on one core`,
    measured: perSecond(1000 / ms),
    against: `${milliseconds(ms)} of CPU for each; feeding it took ${milliseconds(feedingItself)} more`,
  }
}

async function run(bench: Bench): Promise<Figures> {
  return {
    rows: [
      await rowOf(bench, 'the orchestrator alone', { fed: 'orchestrator', settles: false }),
      await rowOf(bench, 'the projector alone, views in SQLite', { fed: 'projections', settles: true }),
    ],
  }
}

export const ceiling: Part = { name: 'ceiling', title: 'What one owner carries', run }
