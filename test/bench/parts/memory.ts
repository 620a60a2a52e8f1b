import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { Service } from '#test/doubles/service/service.ts'
import { figure } from '../kit/figures.ts'
import { startTested } from '../kit/start.ts'
import type { Bench, Figures, Growth, Part } from '../part.ts'

const MEGABYTE = 1e6
const KILOBYTE = 1000
const REST_MS = 5000
const AT_REST_MB = 170
const PER_JOB_KB = 10
const SIZES = [1000, 10_000, 100_000]

/** The memory of a fresh, idle service, started as `npm start` does. */
async function atRest(): Promise<number> {
  await using service = await Service.start()
  await rest(REST_MS)
  return service.memory() / MEGABYTE
}

async function perOpenJob(bench: Bench, jobs: number): Promise<number> {
  const dataDir = await mkdtemp(join(bench.directory, 'memory-'))
  await using child = startTested(bench, new URL('../service/fold-process.ts', import.meta.url), {
    flags: ['--expose-gc'],
  })
  return (await child.call<number>('bytesPerOpenJob', { dataDir, jobs })) / KILOBYTE
}

async function run(bench: Bench): Promise<Figures> {
  const megabytes = await atRest()
  const values: Growth['values'][number][] = []
  for (const size of SIZES.map((jobs) => jobs * bench.scale)) {
    values.push({ size, value: await perOpenJob(bench, size) })
  }
  const kilobytes = values[1]?.value ?? 0
  return {
    rows: [
      {
        what: 'the embedded service at rest, with all its processes',
        measured: `${figure(megabytes)} MB`,
        wanted: `≤ ${AT_REST_MB} MB`,
        met: megabytes <= AT_REST_MB,
      },
      {
        what: 'the orchestrator, for each of 10,000 open jobs',
        measured: `${figure(kilobytes)} KB`,
        wanted: `≤ ${PER_JOB_KB} KB`,
        met: kilobytes <= PER_JOB_KB,
      },
    ],
    growth: [{ what: 'memory for each open job', unit: ' KB', grows: 'open jobs', values }],
  }
}

export const memory: Part = { name: 'memory', title: 'Memory', run }
