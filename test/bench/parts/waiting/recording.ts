import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ProxyAgent, request } from 'undici'
import { loadMedia } from '#services/sandbox/media.ts'
import { Child } from '../../kit/child.ts'
import { figure } from '../../kit/figures.ts'
import type { Bench, Row } from '../../part.ts'
import { askTranscript } from '../../service/ask-transcript.ts'
import { keysOf, type Outside, sandboxProcess, startService } from '../../service/sandboxed-service.ts'
import type { Transcribed } from '../../service/slow-speech-process.ts'

const RECORDING_SECONDS = 3600
const URL_OF_RECORDING = 'http://films.example.com/recording.m4a'
/** The total may exceed the unavoidable time by at most a tenth plus ten seconds. */
const WANTED = { times: 1.1, moreSeconds: 10 }
const FIRST_PIECE_SECONDS = 60

const slowSpeech = new URL('../../service/slow-speech-process.ts', import.meta.url)

/** A transcript of a long recording, by an endpoint that takes a tenth of real time. */
export async function recordingRow(bench: Bench): Promise<Row> {
  const recordingSeconds = RECORDING_SECONDS * bench.scale
  await using world = new Child(sandboxProcess, { directory: bench.directory })
  await using endpoint = new Child(slowSpeech, { directory: bench.directory })
  const recording = await longChapter(bench.directory, recordingSeconds)
  const outside = await world.call<Outside>('open', { recording })
  const env = { SPEECH_BASE_URL: await endpoint.call<string>('open'), JOB_WINDOW_SECONDS: '900' }
  await using service = await startService(outside, env)
  const [key = ''] = await keysOf(service)
  const download = await downloadSeconds(outside)
  const total =
    (await askTranscript(service.base, key, { url: URL_OF_RECORDING, mode: 'generate' })).milliseconds / 1000
  const pieces = await endpoint.call<Transcribed[]>('answered')
  const slowest = Math.max(...pieces.map(({ seconds }) => seconds))
  const first = pieces[0]?.audioSeconds ?? Number.NaN
  const most = WANTED.times * (download + slowest) + WANTED.moreSeconds
  return {
    what: `generate of ${figure(recordingSeconds / 60)} minutes of speech, by an endpoint that takes a tenth of real time: POST sent → transcript`,
    measured: `${figure(total)} s, in ${pieces.length} pieces, the first of ${figure(first)} s`,
    against: `download ${figure(download)} s, slowest piece ${figure(slowest)} s`,
    wanted: `≤ ${WANTED.times} × both + ${WANTED.moreSeconds} s = ${figure(most)} s; the first piece ≤ ${FIRST_PIECE_SECONDS} s of several`,
    met: total <= most && (pieces.length === 1 || first <= FIRST_PIECE_SECONDS),
    why: 'The sound is decoded, the pauses in it are found, and the first piece gives the language, one after the other; then the other pieces are under way together.',
  }
}

/** A film of the sandbox, repeated. */
async function longChapter(directory: string, seconds: number): Promise<string> {
  const [film, path] = [join(directory, 'film.m4a'), join(directory, 'recording.m4a')]
  await writeFile(film, (await loadMedia()).chapter.m4a.body)
  const again = ['-stream_loop', '-1', '-i', film, '-t', String(seconds), '-c', 'copy', path]
  await promisify(execFile)('ffmpeg', ['-nostdin', '-loglevel', 'error', '-y', ...again])
  return path
}

async function downloadSeconds({ proxyUrl }: Outside): Promise<number> {
  const from = performance.now()
  const dispatcher = new ProxyAgent(proxyUrl)
  const { body } = await request(URL_OF_RECORDING, { dispatcher })
  await body.arrayBuffer()
  const seconds = (performance.now() - from) / 1000
  await dispatcher.close()
  return seconds
}
