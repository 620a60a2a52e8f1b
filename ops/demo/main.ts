/**
 * `npm run demo`: the service turns a film with recorded speech into a transcript, on this machine alone. Then it reads
 * the stand-ins of the five platforms. Exits 1 if anything fails, or if more words are wrong than the speech engine may
 * get wrong.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { systemClock } from '#packages/adapters/system/clock.ts'
import { wordErrorRate } from '#packages/content/speech/word-error-rate.ts'
import { readConfig, variables } from '#packages/foundation/config/config.ts'
import { noteOf } from '#packages/history/questions/event-note.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { chosenEngine } from '#services/host/speech-engine.ts'
import { startWorld } from '#test/doubles/world/world.ts'
import { type Client, clientOf, type Job, type Transcript } from './client.ts'
import { clockTime, entry, heading, Progress, print, wrap } from './page.ts'
import { showPlatforms } from './platforms.ts'
import { register } from './register.ts'
import { startService } from './service.ts'

const film = '.media/demo/film.mp4'
const reference = '.media/demo/reference.txt'
const url = 'http://films.example.com/sense-and-sensibility.mp4'
/**
 * The highest word error rates that pass. `rough`: for pocketsphinx, which is used if ops/setup was run without a
 * model. `good`: for every other engine.
 */
const worstErrorRates = { rough: 0.35, good: 0.04 }
const pollMs = 500
const silent = createLog('demo', 'silent')
const patienceMs = 200_000

/** The environment without this service's variables: the demo shows the defaults. */
function environment(own: Record<string, string>): NodeJS.ProcessEnv {
  const names = new Set(Object.values(variables).map(({ variable }) => variable as string))
  const rest = Object.entries(process.env).filter(([name]) => !names.has(name))
  return { ...Object.fromEntries(rest), ...own }
}

async function readFilm(): Promise<{ bytes: Buffer; spoken: string }> {
  try {
    return { bytes: await readFile(film), spoken: await readFile(reference, 'utf8') }
  } catch (cause) {
    throw new Error(`the film of the demo is missing (${film}): run ops/setup first`, { cause })
  }
}

/** Polls until the job has ended. Shows the elapsed time and the running step. */
async function untilEnded(client: Client, store: EventStore, jobId: string): Promise<Job> {
  const progress = new Progress(process.stdout)
  const from = performance.now()
  for (;;) {
    const job = await client.poll(jobId)
    const ms = performance.now() - from
    progress.show(
      ms / 1000,
      job.status === 'queued' ? `queued: ${progressOf(await store.read(`job-${jobId}`))}` : job.status,
    )
    if (job.status !== 'queued') {
      progress.end()
      return job
    }
    if (ms > patienceMs) throw new Error(`job ${jobId} has not ended after ${patienceMs / 1000} s`)
    await sleep(pollMs)
  }
}

/** Prints the transcript. @returns its word error rate */
function showTranscript({ segments, text, language, source }: Transcript, spoken: string): number {
  for (const { start, end, text } of segments) print(entry(`  ${clockTime(start)} - ${clockTime(end)}`, text))
  const rate = wordErrorRate(spoken, text)
  print('', entry('  language, source', `${language}, ${source}`))
  print(entry('  what was said', spoken), '')
  print(entry('  word error rate', `${(rate * 100).toFixed(0)} %`))
  return rate
}

async function demo(folder: string): Promise<void> {
  const { bytes, spoken } = await readFilm()
  await using world = await startWorld({ files: { [new URL(url).pathname]: bytes } })
  const dataDir = join(folder, 'data')
  const env = environment({ HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, EGRESS_PROXY: world.proxyUrl })

  print('Video Intelligence Service: a video URL in, data out.')
  heading('1. Start the service')
  await using service = await startService({ env, logFile: join(folder, 'service.log') })
  await using store = await openSqliteEventStore({ path: join(dataDir, 'events.sqlite') })
  print(entry('  service', `${service.base}, one process, nothing else`))
  print(entry('  data', `${dataDir}, removed at the end`))
  const speech = await chosenEngine(readConfig(env), { clock: systemClock, log: silent, telemetry: noTelemetry })
  print(entry('  speech engine', speech.description))
  print(
    entry(
      '  outside world',
      'a stand-in on this machine, reached through EGRESS_PROXY; it has one film, with speech recorded for LibriVox',
    ),
  )

  heading('2. Register an organization')
  print('  npm run org -- create Demo --json')
  const { orgId, key } = await register(env)
  const client = clientOf(service.base, key)
  print(entry('  organization', orgId), entry('  key', `${key.slice(0, 7)}…`))
  print(entry('  credits before', String(await client.credits())))

  heading('3. Ask for a transcript')
  const request = { url, mode: 'generate' }
  print('  POST /v1/transcript', `  ${JSON.stringify(request)}`)
  const { jobId } = await client.ask(request)
  print(entry('  job', jobId))
  const job = await untilEnded(client, store, jobId)
  if (!job.resultJson) throw new Error(`the job failed: ${job.error?.code}: ${job.error?.message}`)

  heading('4. The transcript')
  const rate = showTranscript(job.resultJson, spoken)
  print(entry('  credits after', String(await client.credits())))

  heading('5. What happened, from the event store')
  const ledger = (await store.read(`credits-${orgId}`)).filter(({ metadata }) => metadata.correlationId === jobId)
  for (const line of timelineOf([...ledger, ...(await store.read(`job-${jobId}`))])) print(`  ${line}`)

  await service.stop()
  await showPlatforms(environment({ HOST: '127.0.0.1', PORT: '0', DATA_DIR: join(folder, 'platforms') }), folder)
  print('', 'Both services were stopped (SIGTERM) and ended with exit status 0.')
  if (world.refused.length > 0) throw new Error(`the service asked the outside for ${world.refused.join(', ')}`)
  const worst = worstErrorRates[speech.name === 'pocketsphinx' ? 'rough' : 'good']
  if (rate > worst) throw new Error(`more than ${worst * 100} % of the words are wrong`)
}

// The exit handler of the running service ends it.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(130))
const folder = await mkdtemp(join(tmpdir(), 'video-intelligence-demo-'))
try {
  await demo(folder)
  await rm(folder, { recursive: true, force: true })
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : error}`)
  console.error(wrap(`The log of the service and its data are kept in ${folder}`, 80).join('\n'))
  process.exitCode = 1
}

/** The events of a job and of its debit as lines: time since the first event, stream, description. */
function timelineOf(events: readonly StoredEvent[]): string[] {
  const ordered = [...events].sort((a, b) => a.position - b.position)
  const start = ordered[0]?.recordedAt ?? 0
  return ordered.map((event) => {
    const time = `+${((event.recordedAt - start) / 1000).toFixed(3)} s`
    const stream = event.stream.split('-')[0] ?? ''
    return `${time.padStart(10)}  ${stream.padEnd(7)}  ${event.type.padEnd(17)}  ${noteOf(event)}`.trimEnd()
  })
}

/** The reason why a job waits, in one or two words. */
function progressOf(events: readonly StoredEvent[]): string {
  const last = events.findLast(({ type }) => type !== 'LeaseExtended')
  if (last?.type === 'StepStarted') return last.data.step
  if (last?.type === 'JobCompleted' || last?.type === 'JobFailed') return 'settling'
  return 'waiting for a step to start'
}
