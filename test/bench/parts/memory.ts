import { setTimeout as rest } from 'node:timers/promises'
import { commandOf, processTree } from '#test/doubles/service/process-tree.ts'
import { Service } from '#test/doubles/service/service.ts'
import { Child } from '../kit/child.ts'
import { figure } from '../kit/figures.ts'
import { startTested } from '../kit/start.ts'
import type { Bench, Figures, Growth, Part, Row } from '../part.ts'
import { askTranscript } from '../service/ask-transcript.ts'
import { keysOf, type Outside, sandboxProcess, startService } from '../service/sandboxed-service.ts'
import { asM4a, makeRecording } from './speech/recording.ts'

const MEGABYTE = 1e6
const KILOBYTE = 1000
const REST_MS = 5000
const AT_REST_MB = 170
const WHISPER_WORKER_MB = 400
const RECORDING_SECONDS = 60
const PER_JOB_KB = 10
const SIZES = [1000, 10_000, 100_000]

/**
 * The memory of an idle service, started as `npm start` does. It is its second start: the first start of a checkout
 * compiles all code, and keeps the memory that this took.
 */
async function atRest(): Promise<number> {
  await using service = await Service.start()
  await service.end('SIGTERM')
  await service.start()
  await rest(REST_MS)
  return service.memory() / MEGABYTE
}

/** The memory of the service after Whisper has transcribed a recording, with the workers that stay for the next one. */
async function withWhisperWarm({ directory }: Bench): Promise<Row> {
  const recording = await asM4a(directory, await makeRecording(directory, RECORDING_SECONDS, []))
  await using world = new Child(sandboxProcess, { directory })
  const outside = await world.call<Outside>('open', { recording })
  await using service = await startService(outside, { SPEECH_ENGINE: 'whisper', WHISPER_MODEL: 'base' })
  const [key = ''] = await keysOf(service)
  const url = 'http://films.example.com/recording.m4a'
  await askTranscript(service.base, key, { url, mode: 'generate', lang: 'en' })
  await rest(REST_MS)
  const workers = processTree(service.pid).filter((one) => commandOf(one).includes('whisper/worker.py')).length
  const [megabytes, wanted] = [service.memory() / MEGABYTE, AT_REST_MB + WHISPER_WORKER_MB * workers]
  return {
    what: `the same after ${RECORDING_SECONDS} s of speech, with ${workers} warm workers of Whisper`,
    measured: `${figure(megabytes)} MB`,
    wanted: `≤ ${AT_REST_MB} + ${WHISPER_WORKER_MB} MB a worker`,
    met: megabytes <= wanted,
  }
}

async function perOpenJob(bench: Bench, jobs: number): Promise<number> {
  const dataDir = await bench.folder('memory')
  await using child = startTested(bench, new URL('../service/fold-process.ts', import.meta.url), {
    flags: ['--expose-gc'],
  })
  return (await child.call<number>('bytesPerOpenJob', { dataDir, jobs })) / KILOBYTE
}

async function run(bench: Bench): Promise<Figures> {
  const megabytes = await atRest()
  const warm = await withWhisperWarm(bench)
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
      warm,
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
