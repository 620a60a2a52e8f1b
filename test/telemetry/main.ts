/**
 * `npm run test:telemetry` checks three things. The tools that read the files of ops/observe and ops/alerts accept
 * them. The traces of the scenarios are whole. The distributed service runs under load with three faults, watched by
 * Jaeger, Prometheus and Alertmanager: every query of every panel, runbook and alert finds something, the alerts of the
 * faults fire and resolve, and a failed job is found by its trace. The windows of the alerts are divided by 60. The
 * last line is `N passed, N failed, N skipped`; exits 1 if anything failed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { EngineUnavailableError } from '#ops/local-engines/jars.ts'
import { processes, processName } from '#services/host/processes.ts'
import { until } from '#test/doubles/service/until.ts'
import { happen, incidents, isOver } from './incidents.ts'
import { mishaps } from './mishaps.ts'
import { AskedQueries } from './queries.ts'
import { Report } from './report.ts'
import { checkScenarios } from './scenarios.ts'
import { type Scene, startScene } from './scene.ts'
import { followSearches } from './searches.ts'
import { checkFiles } from './static-checks.ts'
import { findTools, originOf, type Tools } from './tools.ts'
import { completedJob, failedJob, findFailed, findNothing } from './traces.ts'

/** How long all is well before the first fault. */
const QUIET_MS = 15_000

const LIVE = 'the service under load with three faults'

/** @throws Error naming the services that sent nothing */
async function everyServiceIsSeen({ prometheus, startedAt }: Scene): Promise<string> {
  const jobs = processes.map((parts) => `video-intelligence/${processName(parts)}`)
  await until('every service has exported something', async () => {
    const seen = await prometheus.labelValues('video_build_info', 'job', startedAt)
    return jobs.every((job) => seen.includes(job))
  })
  return ''
}

async function prove(report: Report, scene: Scene): Promise<void> {
  await report.check('every service exports', () => everyServiceIsSeen(scene))
  const failed = await failedJob(scene)
  const completed = await completedJob(scene)
  await sleep(QUIET_MS)
  const early = await scene.prometheus.firing()
  console.log(`     before the first fault there fire: ${early.join(', ') || 'none'}`)
  await report.check('guessed keys, a dead letter, a dead worker', () => mishaps(scene))
  for (const incident of incidents) await report.check(incident.name, () => happen(scene, incident))
  for (const incident of incidents)
    await report.check(`the alerts are over: ${incident.name}`, () => isOver(scene, incident))
  await report.check('the trace of a failed job', () => findFailed(scene, failed))
  await report.check('no trace of a job that was completed', () => findNothing(scene, completed))
  const asked = new AskedQueries(scene.prometheus, scene.startedAt)
  await report.check('searches for traces', () => followSearches(scene, asked, failed))
  for (const title of asked.dashboards) await report.check(`dashboard ${title}`, () => asked.ofDashboard(title))
  await report.check('runbooks', () => asked.ofRunbooks())
  await report.check('alerts', () => asked.ofAlerts())
  await report.check('metrics', () => asked.ofMetrics())
  console.log(`     ${scene.customers.accepted} jobs were accepted`)
  if (report.failed > 0) console.log(`     what the services said: ${await scene.keepOutput()}`)
}

async function proveLive(report: Report, { prometheus, jaeger, alertmanager }: Tools): Promise<void> {
  if (prometheus === undefined) return report.leaveOut(LIVE, `prometheus is missing (${originOf.prometheus})`)
  if (jaeger === undefined) return report.leaveOut(LIVE, `jaeger is missing (${originOf.jaeger})`)
  if (alertmanager === undefined)
    report.leaveOut('alerts by Alertmanager', `alertmanager is missing (${originOf.alertmanager})`)
  await checkScenarios(report, { prometheus, jaeger, alertmanager }).catch((error) => report.fail('scenarios', error))
  try {
    await using scene = await startScene({ prometheus, jaeger, alertmanager })
    for (const label of scene.cluster.labels) console.log(`     ${label}`)
    await prove(report, scene)
  } catch (error) {
    if (error instanceof EngineUnavailableError) report.leaveOut(LIVE, error.message)
    else report.fail(LIVE, error)
  }
}

const report = new Report()
const tools = findTools()
await checkFiles(report, tools)
await proveLive(report, tools)
process.exitCode = report.end() ? 0 : 1
