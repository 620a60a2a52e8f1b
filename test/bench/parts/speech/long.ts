import { commandOf, processTree } from '#test/doubles/service/process-tree.ts'
import { Child } from '../../kit/child.ts'
import { figure, times } from '../../kit/figures.ts'
import { peakBytes } from '../../kit/peak-memory.ts'
import type { Bench, Row } from '../../part.ts'
import { startRival } from '../../rivals/speech/speech-rival.ts'
import { type Answered, askTranscript } from '../../service/ask-transcript.ts'
import { keysOf, type Outside, sandboxProcess, startService } from '../../service/sandboxed-service.ts'
import { asM4a, makeRecording, type Recording } from './recording.ts'

const MINUTES = 60
const WINDOW_SECONDS = 600
const EVERY_MS = 500
const MEGABYTE = 1e6
/** A word of the first clip. It shows where in the recording the clip was heard. */
const KNOWN_WORD = 'dashwood'
const WANTED = { share: 0.65, driftSeconds: 0.1, growth: 1.1 }

/** The peak memory of the largest Whisper worker, and of the service's own process, bytes. */
type Peaks = { atMs: number; worker: number; service: number }

/** Reads the peaks until it is disposed. */
function watchPeaks(pid: number) {
  const from = performance.now()
  const peaks: Peaks[] = []
  const timer = setInterval(() => {
    const workers = processTree(pid).filter((one) => commandOf(one).includes('whisper/worker.py'))
    const worker = Math.max(0, ...workers.map((one) => peakBytes(one.pid)))
    peaks.push({ atMs: performance.now() - from, worker, service: peakBytes(pid) })
  }, EVERY_MS)
  return { peaks, [Symbol.dispose]: () => clearInterval(timer) }
}

type Heard = Answered & { peaks: Peaks[] }

/** A job of the real service for the whole recording. */
async function hearByService(bench: Bench, recording: Recording): Promise<Heard> {
  await using world = new Child(sandboxProcess, { directory: bench.directory })
  const outside = await world.call<Outside>('open', { recording: await asM4a(bench.directory, recording) })
  const env = { SPEECH_ENGINE: 'whisper', WHISPER_MODEL: 'base', JOB_WINDOW_SECONDS: String(WINDOW_SECONDS) }
  await using service = await startService(outside, env)
  const [key = ''] = await keysOf(service)
  using watch = watchPeaks(service.pid)
  const url = 'http://films.example.com/recording.m4a'
  const answered = await askTranscript(service.base, key, { url, mode: 'generate', lang: 'en', words: true })
  return { ...answered, peaks: watch.peaks }
}

/** How late the known word was heard after each mark, seconds; NaN if it was not heard. */
function placesOf({ words }: Heard, marks: readonly number[]): number[] {
  const known = words.filter(({ text }) => text.toLowerCase().startsWith(KNOWN_WORD))
  return marks.map((mark) => (known.find(({ start }) => start > mark && start < mark + 10)?.start ?? Number.NaN) - mark)
}

function driftRow(heard: Heard, marks: readonly number[]): Row {
  const places = placesOf(heard, marks)
  const drift = Math.max(...places) - Math.min(...places)
  return {
    what: `the same: "${KNOWN_WORD}" in a clip that is heard at minutes ${marks.map((mark) => mark / 60).join(', ')}`,
    measured: `${places.map((place) => place.toFixed(2)).join(', ')} s after the clip begins`,
    wanted: `all within ${WANTED.driftSeconds} s`,
    met: drift <= WANTED.driftSeconds,
  }
}

function memoryRow({ peaks, milliseconds }: Heard): Row {
  const early = peaks.find(({ atMs, worker }) => atMs >= milliseconds / 6 && worker > 0) ?? peaks[0]
  const late = peaks.at(-1)
  const megabytes = (one: Peaks | undefined): string =>
    `${Math.round((one?.worker ?? 0) / MEGABYTE)} and ${Math.round((one?.service ?? 0) / MEGABYTE)} MB`
  const grown = Math.max((late?.worker ?? 0) / (early?.worker ?? 1), (late?.service ?? 0) / (early?.service ?? 1))
  return {
    what: 'the same: peak memory of a worker of Whisper, and of the service',
    measured: megabytes(late),
    against: `after a sixth of the time: ${megabytes(early)}`,
    ratio: times(grown),
    wanted: `≤ ${WANTED.growth} ×`,
    met: grown <= WANTED.growth,
  }
}

/** An hour of speech in the service, compared with the plain library in one thread. */
export async function longRows(bench: Bench): Promise<Row[]> {
  const minutes = Math.ceil(MINUTES * bench.scale)
  const marks = [1, Math.ceil(minutes / 2), minutes - 1].map((minute) => minute * 60)
  const recording = await makeRecording(bench.directory, minutes * 60, marks)
  const heard = await hearByService(bench, recording)
  await using plain = startRival('faster-whisper', 1)
  const theirs = (await plain.hear(recording.path)).wallSeconds
  const mine = heard.milliseconds / 1000
  const share = mine / theirs
  return [
    {
      what: `${minutes} minutes of speech: POST sent → transcript, JOB_WINDOW_SECONDS=${WINDOW_SECONDS}`,
      measured: `${figure(mine)} s`,
      against: `faster-whisper, int8, cpu_threads=1: ${figure(theirs)} s`,
      ratio: times(share),
      wanted: `≤ ${WANTED.share} ×`,
      met: share <= WANTED.share,
    },
    driftRow(heard, marks),
    memoryRow(heard),
  ]
}
