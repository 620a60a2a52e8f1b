/**
 * `npm run bench`: measures every figure that the service must reach, together with its rival. Writes
 * test/bench/results.md. `npm run bench -- NAME…` runs only these parts and writes no file. `--scale N` (0 to 1) makes
 * everything smaller, for a trial. `--profile DIR` saves CPU profiles of our processes. `--beside DIR` measures another
 * checkout in the same run, such as that of the previous commit.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Histories } from './histories.ts'
import { assertOnDisk, conditionsOf, machineLine } from './kit/machine.ts'
import type { Bench, Figures, Part } from './part.ts'
import { accepts } from './parts/accepts.ts'
import { analysts } from './parts/analysts.ts'
import { attacks } from './parts/attacks.ts'
import { batches } from './parts/batches.ts'
import { beside } from './parts/beside.ts'
import { ceiling } from './parts/ceiling.ts'
import { dashboard } from './parts/dashboard.ts'
import { distributed } from './parts/distributed.ts'
import { failover } from './parts/failover.ts'
import { history } from './parts/history.ts'
import { idle } from './parts/idle.ts'
import { jobs } from './parts/jobs.ts'
import { latency } from './parts/latency.ts'
import { memory } from './parts/memory.ts'
import { metadata } from './parts/metadata.ts'
import { polling } from './parts/polling.ts'
import { replay } from './parts/replay.ts'
import { restart } from './parts/restart.ts'
import { several } from './parts/several.ts'
import { speech } from './parts/speech.ts'
import { telemetry } from './parts/telemetry.ts'
import { waiting } from './parts/waiting.ts'
import { type Result, reportOf } from './report.ts'

const RESULTS = new URL('./results.md', import.meta.url)

const parts: readonly Part[] = [
  replay,
  history,
  analysts,
  restart,
  accepts,
  polling,
  jobs,
  latency,
  distributed,
  several,
  failover,
  batches,
  ceiling,
  beside,
  idle,
  memory,
  metadata,
  waiting,
  speech,
  attacks,
  dashboard,
  telemetry,
]

function wantedParts(names: readonly string[]): readonly Part[] {
  const unknown = names.find((name) => !parts.some((part) => part.name === name))
  if (unknown !== undefined)
    throw new Error(`there is no part ${unknown}; there are ${parts.map(({ name }) => name).join(', ')}`)
  return names.length === 0 ? parts : parts.filter(({ name }) => names.includes(name))
}

/** Runs a part. If a part fails, the report shows the failure in its place, and the other parts still run. */
async function runPart({ title, run }: Part, bench: Bench): Promise<Result> {
  const from = performance.now()
  const conditions = conditionsOf(bench.directory)
  const failed = (error: Error): Figures => {
    console.error(error)
    process.exitCode = 1
    return { rows: [{ what: title, measured: `not measured: ${error.message.split('\n')[0]}` }] }
  }
  const figures = await run(bench).catch(failed)
  console.error(`${title}: ${Math.round((performance.now() - from) / 1000)} s`)
  return { title, figures, conditions }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { scale: { type: 'string', default: '1' }, profile: { type: 'string' }, beside: { type: 'string' } },
    allowPositionals: true,
  })
  const wanted = wantedParts(positionals)
  const scale = Number(values.scale)
  const startedAt = new Date()
  const directory = await mkdtemp(join(tmpdir(), 'bench-'))
  try {
    // A database server may run as another user and keep its folder inside this one.
    await chmod(directory, 0o711)
    assertOnDisk(directory)
    const profileDirectory = values.profile && resolve(values.profile)
    const beside = values.beside === undefined ? undefined : pathToFileURL(`${resolve(values.beside)}/`)
    const folder = (name: string) => mkdtemp(join(directory, `${name}-`))
    const bench = { directory, folder, histories: new Histories(directory), profileDirectory, beside, scale }
    const results: Result[] = []
    for (const part of wanted) results.push(await runPart(part, bench))
    const seconds = (Date.now() - startedAt.getTime()) / 1000
    const report = reportOf(results, { machine: machineLine(), startedAt, seconds, scale })
    console.log(report)
    if (wanted === parts) await writeFile(RESULTS, report)
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

await main()
