/**
 * Complete jobs of three steps that do nothing. 64 callers enqueue them one by one, here and on two job queues. All run
 * in turn, each in one Node process with its database as a child. The child's CPU is counted too (our writer is a
 * thread, so its CPU is as well). Each answers only when the data is on the disk; concurrent writes share a sync. Each
 * learns of the end of a job by a callback in its own process.
 *
 * What one job takes, counted by the database's own statistics and by strace with 1,000 jobs under way:
 * - ours: 10 events in 6 appends (debit with request; first claim; two results, each with the next claim; the third
 *   with the end of the job; settlement), validated when they are written, and decoded once for all who follow them:
 *   the orchestrator and the views. A job counts as complete when the view shows it as settled. About 0.1 fsync, and
 *   12 pages written.
 * - BullMQ, a flow: 8 Lua scripts with some 110 commands; about 0.45 fdatasync.
 * - Graphile Worker: three jobs, each added, taken (in batches) and completed (in batches); about 3.9 fdatasync.
 *
 * None of the rivals takes credits, or keeps a history or a view for polls.
 */
import { milliseconds, perSecond, times } from '../kit/figures.ts'
import { median } from '../kit/percentiles.ts'
import type { Bench, Figures, Growth, Part, Row } from '../part.ts'
import { postgresServer } from '../rivals/postgres.ts'
import { redisServer } from '../rivals/redis.ts'
import { type Contestant, embeddedProcess, type Score, startContestant } from '../rivals/rival.ts'

/** Slots of each of the three steps, for every rival; three times as many if its steps share them. */
const SLOTS = 64
const ADDS_AT_ONCE = 64
const ROUNDS = 3
const JOBS = 3000
/** The jobs before the measurement: enough for the code of every rival to be compiled. */
const WARM_UP_JOBS = 1000

const start = (bench: Bench, module: URL): Promise<Contestant> =>
  startContestant(bench, module, { slots: SLOTS, addsAtOnce: ADDS_AT_ONCE })

const whyBullmq =
  'Its scripts run inside of Redis and keep the state of a job only; a job of ours is 10 events in JSON, held against ' +
  'their schemas when written, folded by the workers, the orchestrator and the views. Writing the views takes most.'
const noRedis = 'redis-server is not installed (ops/setup --bench)'

const rivals = [
  {
    name: 'bullmq',
    label: 'BullMQ 6 (flows), Redis with appendfsync always',
    why: whyBullmq,
    server: redisServer,
    missing: noRedis,
    least: 1,
    mostCpu: 0.9,
  },
  {
    name: 'graphile',
    label: 'Graphile Worker, PostgreSQL with synchronous_commit on',
    why: undefined,
    server: postgresServer,
    missing: 'postgresql is not installed (ops/setup --bench)',
    least: 2,
    mostCpu: 0.35,
  },
] as const

function rowsOf(
  { label, why, least, mostCpu }: (typeof rivals)[number],
  ours: readonly Score[],
  theirs: readonly Score[],
): Row[] {
  const of = (scores: readonly Score[], key: keyof Score): number => median(scores.map((score) => score[key]))
  const ratio = (key: keyof Score): number =>
    median(ours.map((score, round) => score[key] / (theirs[round]?.[key] ?? 0)))
  const speed = ratio('perSecond')
  const cpu = ratio('cpuMs')
  return [
    {
      what: `complete job of 3 no-op steps (${SLOTS} slots a step, ${ADDS_AT_ONCE} adds at once)`,
      measured: perSecond(of(ours, 'perSecond')),
      against: `${label}: ${perSecond(of(theirs, 'perSecond'))}`,
      ratio: times(speed),
      wanted: `≥ ${least} ×`,
      met: speed >= least,
    },
    {
      what: 'CPU for each job, servers included',
      measured: milliseconds(of(ours, 'cpuMs')),
      against: `${label}: ${milliseconds(of(theirs, 'cpuMs'))}`,
      ratio: times(cpu),
      ...(mostCpu !== undefined && { wanted: `≤ ${mostCpu} ×`, met: cpu <= mostCpu }),
      ...(why && { why }),
    },
  ]
}

async function compare(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  const jobs = Math.ceil(JOBS * bench.scale)
  await using ours = await start(bench, embeddedProcess)
  await ours.run(WARM_UP_JOBS)
  for (const rival of rivals) {
    const { name, label, server, missing } = rival
    if (server() === undefined) {
      rows.push({ what: `complete job of 3 no-op steps, ${label}`, measured: `not measured: ${missing}` })
      continue
    }
    await using theirs = await start(bench, new URL(`../rivals/${name}-process.ts`, import.meta.url))
    await theirs.run(WARM_UP_JOBS)
    const scores = { ours: [] as Score[], theirs: [] as Score[] }
    for (let round = 0; round < ROUNDS; round++) {
      scores.theirs.push(await theirs.run(jobs))
      scores.ours.push(await ours.run(jobs))
    }
    rows.push(...rowsOf(rival, scores.ours, scores.theirs))
  }
  return rows
}

/** The rate while more and more jobs are in the queue at once. */
async function grow(bench: Bench): Promise<Growth[]> {
  const values: Growth['values'][number][] = []
  for (const size of [100, 1000, 10_000].map((jobs) => Math.ceil(jobs * bench.scale))) {
    await using ours = await start(bench, embeddedProcess)
    await ours.run(WARM_UP_JOBS)
    values.push({ size, value: (await ours.run(size)).perSecond })
  }
  return [{ what: 'complete jobs', unit: '/s', grows: 'jobs in a run', values }]
}

export const jobs: Part = {
  name: 'jobs',
  title: 'Complete jobs',
  run: async (bench): Promise<Figures> => ({ rows: await compare(bench), growth: await grow(bench) }),
}
