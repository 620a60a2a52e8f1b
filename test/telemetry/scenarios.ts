/**
 * The scenarios of the service, as `npm test` runs them. Their services export to a collector that keeps everything.
 */
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { scriptArguments } from '#test/doubles/script-arguments.ts'
import { until } from '#test/doubles/service/until.ts'
import { straysIn, traceIn, tracesFound } from './jaeger.ts'
import { type ObserverTools, startObservers } from './observers.ts'
import type { Report } from './report.ts'

const run = promisify(execFile)

/** Every kind of job and surface, platforms that fail, and stops. None of them kills the service while it works. */
const names = ['jobs', 'transcripts', 'extractions', 'credits', 'requests', 'stopping', 'tools']
const files = [...names, 'platform-jobs', 'platform-reads', 'platform-outages'].map(
  (name) => `test/scenarios/${name}.test.ts`,
)

const everything = { sharePercent: 100, decisionSeconds: 10 }

const MAX_TRACES = 10_000

/** @throws Error with the runner's output */
async function theyPass(variables: Record<string, string>): Promise<string> {
  const words = [...scriptArguments('test'), ...files]
  const { stdout } = await run(process.execPath, words, { env: { ...process.env, ...variables } }).catch(
    (error: Error & { stdout?: string }) => {
      throw new Error(error.stdout?.trim() || error.message)
    },
  )
  return stdout.trim().split('\n').at(-1) ?? ''
}

/** @throws Error naming the spans without their parent, in the traces of all jobs */
async function tracesAreWhole(jaeger: string): Promise<string> {
  let strays: string[] = []
  const look = async (): Promise<string | false> => {
    const ids = await tracesFound(jaeger, { service: 'all-in-one', operation: 'job', tags: '' }, MAX_TRACES)
    const traces = await Promise.all(ids.map((id) => traceIn(jaeger, id)))
    strays = traces.flatMap((spans, at) => straysIn(spans).map(({ name }) => `${name} in ${ids[at]}`))
    return ids.length > 0 && strays.length === 0 && `${ids.length} traces of jobs, ${traces.flat().length} spans`
  }
  // By then the collector has decided about the last of them, too, unless the machine is busy.
  await sleep(everything.decisionSeconds * 1000)
  return await until('every span has its parent', look, { everyMs: 2000 }).catch((error: Error) => {
    throw new Error(`${error.message}\n  ${strays.join('\n  ')}`)
  })
}

/** Runs them, and checks the traces of all of their jobs. */
export async function checkScenarios(report: Report, tools: ObserverTools): Promise<void> {
  await using observers = await startObservers(tools, everything)
  await report.check('scenarios', () => theyPass(observers.variables))
  await report.check('no span of theirs lacks its parent', () => tracesAreWhole(observers.jaeger))
}
