import { chmod, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Child } from '../kit/child.ts'
import { cpuSeconds } from '../kit/cpu-time.ts'
import { milliseconds, perSecond, times } from '../kit/figures.ts'
import { median } from '../kit/percentiles.ts'
import { startTested } from '../kit/start.ts'
import type { Bench, Figures, Growth, Part, Row } from '../part.ts'
import { postgresServer } from '../rivals/postgres.ts'
import { redisServer } from '../rivals/redis.ts'
import type { Contest, Opening } from '../rivals/rival.ts'

/** The same for everybody: as many as the service's configuration allows for all three steps. */
const SLOTS = 64
const ADDS_AT_ONCE = 64
const ROUNDS = 3
const JOBS = 1000
const WARM_UP_JOBS = 200

/** Of one round. */
type Score = { jobsPerSecond: number; cpuMs: number }

type Contestant = AsyncDisposable & { run(jobs: number): Promise<Score> }

async function startContestant(bench: Bench, name: 'embedded' | 'bullmq' | 'graphile'): Promise<Contestant> {
  const directory = await mkdtemp(join(bench.directory, `${name}-`))
  // A server may run as another user.
  await chmod(directory, 0o755)
  const child: Child = startTested(bench, new URL(`../rivals/${name}-process.ts`, import.meta.url))
  const opening: Opening = { directory, slots: SLOTS }
  await child.call('open', opening)
  return {
    async run(jobs) {
      // The databases are its children, so their time is in this.
      const before = cpuSeconds([child.pid])
      const contest: Contest = { jobs, addsAtOnce: ADDS_AT_ONCE }
      const { seconds } = await child.call<{ seconds: number }>('run', contest)
      return { jobsPerSecond: jobs / seconds, cpuMs: ((cpuSeconds([child.pid]) - before) * 1000) / jobs }
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

const rivals = [
  {
    name: 'bullmq',
    label: 'BullMQ 6, Redis with appendfsync always',
    server: redisServer,
    missing: 'redis-server is not installed (ops/setup --bench)',
  },
  {
    name: 'graphile',
    label: 'Graphile Worker, PostgreSQL with synchronous_commit on',
    server: postgresServer,
    missing: 'postgresql is not installed (ops/setup --bench)',
  },
] as const

const rowsOf = (label: string, ours: readonly Score[], theirs: readonly Score[]): Row[] => {
  const of = (scores: readonly Score[], key: keyof Score): number => median(scores.map((score) => score[key]))
  const ratio = (key: keyof Score): number =>
    median(ours.map((score, round) => score[key] / (theirs[round]?.[key] ?? 0)))
  const speed = ratio('jobsPerSecond')
  const cpu = ratio('cpuMs')
  return [
    {
      what: `complete job of 3 no-op steps (${SLOTS} slots a step, ${ADDS_AT_ONCE} adds at once)`,
      measured: perSecond(of(ours, 'jobsPerSecond')),
      against: `${label}: ${perSecond(of(theirs, 'jobsPerSecond'))}`,
      ratio: times(speed),
      wanted: '≥ 2 ×',
      met: speed >= 2,
    },
    {
      what: 'CPU for each job, servers included',
      measured: milliseconds(of(ours, 'cpuMs')),
      against: `${label}: ${milliseconds(of(theirs, 'cpuMs'))}`,
      ratio: times(cpu),
      wanted: '≤ 0.35 ×',
      met: cpu <= 0.35,
    },
  ]
}

async function compare(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  const jobs = Math.ceil(JOBS * bench.scale)
  await using ours = await startContestant(bench, 'embedded')
  await ours.run(WARM_UP_JOBS)
  for (const { name, label, server, missing } of rivals) {
    if (server() === undefined) {
      rows.push({ what: `complete job of 3 no-op steps, ${label}`, measured: `not measured: ${missing}` })
      continue
    }
    await using theirs = await startContestant(bench, name)
    await theirs.run(WARM_UP_JOBS)
    const scores = { ours: [] as Score[], theirs: [] as Score[] }
    for (let round = 0; round < ROUNDS; round++) {
      scores.theirs.push(await theirs.run(jobs))
      scores.ours.push(await ours.run(jobs))
    }
    rows.push(...rowsOf(label, scores.ours, scores.theirs))
  }
  return rows
}

/** How fast it is when ever more jobs are there at once, in ever longer a queue. */
async function grow(bench: Bench): Promise<Growth[]> {
  const values: Growth['values'][number][] = []
  for (const size of [100, 1000, 10_000].map((jobs) => Math.ceil(jobs * bench.scale))) {
    await using ours = await startContestant(bench, 'embedded')
    await ours.run(WARM_UP_JOBS)
    values.push({ size, value: (await ours.run(size)).jobsPerSecond })
  }
  return [{ what: 'complete jobs', unit: '/s', grows: 'jobs in a run', values }]
}

export const jobs: Part = {
  name: 'jobs',
  title: 'Complete jobs',
  run: async (bench): Promise<Figures> => ({ rows: await compare(bench), growth: await grow(bench) }),
}
