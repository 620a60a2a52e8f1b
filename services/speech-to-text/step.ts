import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SpeechEngine, Stretch, Transcript, Word } from '#packages/content/speech/engine.ts'
import type { StepResult } from '#packages/domain/job/events.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { StepContext, StepWork } from '#packages/jobs/processing/step.ts'
import type { Reading } from '#packages/platforms/reading/reading.ts'
import { readingOf } from '#packages/platforms/reading/reading-of.ts'
import type { Clock } from '#packages/ports/clock.ts'

/** A local media file, usable until disposed. */
export type OpenedMedia = { path: string } & AsyncDisposable

const DECODE_TIMEOUT_MS = 120_000

export type SpeechToTextOptions = {
  clock: Clock
  engine: SpeechEngine
  /** Opens the media file of a video, from this machine's cache or through the guard. */
  openMedia(url: string, wish: Reading & { want: 'audio'; lang: string | null }): Promise<OpenedMedia>
  /** Writes 16 kHz mono WAV and returns its length in seconds. @throws StepError the file cannot be read */
  decodeAudio(
    inputPath: string,
    outputPath: string,
    limits: { signal: AbortSignal; timeoutMs: number; lang: string | null },
  ): Promise<number>
  /** The regions that may contain speech. Empty if there are none. */
  findSpeech(
    wavPath: string,
    limits: { seconds: number; organization: string; signal: AbortSignal; deadlineAt: number },
  ): Promise<Stretch[]>
  /** The parent folder of each attempt's own folder. */
  temporaryDirectory: string
  /** The largest result, bytes of JSON. A larger one leaves out word timings. */
  maxResultBytes?: number
}

/** The speech-to-text step: turns the sound of a video into a transcript. */
export function speechToTextStep(options: SpeechToTextOptions): StepWork {
  const { engine, maxResultBytes = 900_000 } = options
  return async (context) => {
    const { video, deadlineAt } = context
    if (!video) throw new Error('speech-to-text needs the video that fetch found')
    const refuseTooLong = (seconds: number) => assertFits(seconds, engine, context.job.windowSeconds)
    if (video.durationSeconds !== null) refuseTooLong(video.durationSeconds)
    await using directory = await ownDirectory(options.temporaryDirectory)
    const { wavPath, seconds } = await soundOf(context, directory.path, options)
    refuseTooLong(seconds)
    const { signal, used } = context
    const { lang, orgId: organization, options: asked } = context.job
    const regions = await options.findSpeech(wavPath, { seconds, organization, signal, deadlineAt })
    if (regions.length === 0) throw new StepError('no_speech')
    const limits = { organization, directory: directory.path, signal, deadlineAt }
    const onTranscribed = (transcribed: number): void => {
      used.audioSeconds += transcribed
    }
    const { words, vocabulary } = asked
    const input = { wavPath, seconds, regions, lang, words, vocabulary, ...limits, onTranscribed }
    const transcript = await engine.transcribe(input)
    if (transcript.segments.length === 0) throw new StepError('no_speech')
    return resultOf(transcript, engine, seconds, maxResultBytes)
  }
}

/** Decodes the sound of the video and closes the media file. */
async function soundOf(
  context: StepContext,
  directory: string,
  { clock, openMedia, decodeAudio }: SpeechToTextOptions,
): Promise<{ wavPath: string; seconds: number }> {
  const { job, signal, deadlineAt } = context
  await using media = await openMedia(job.url, { ...readingOf(context), want: 'audio', lang: job.lang })
  const wavPath = join(directory, 'sound.wav')
  const timeoutMs = Math.max(1, Math.min(DECODE_TIMEOUT_MS, deadlineAt - clock.now()))
  const seconds = await decodeAudio(media.path, wavPath, { signal, timeoutMs, lang: job.lang })
  return { wavPath, seconds }
}

/** Refuses a file that takes longer than a job's whole window. A late job may still finish in time. */
function assertFits(audioSeconds: number, engine: SpeechEngine, windowSeconds: number): void {
  if (audioSeconds * engine.secondsPerAudioSecond > windowSeconds)
    throw new StepError('media_too_long', {
      message: 'The video is longer than the speech engine can transcribe in the time of a job.',
    })
}

function resultOf(
  { language, segments, words, heard, vocabularyHeeded }: Transcript,
  { name, model }: SpeechEngine,
  audioSeconds: number,
  maxResultBytes: number,
): StepResult {
  const confidence = meanConfidence(words ?? [])
  const data = {
    language,
    ...(heard && { heard }),
    ...(confidence !== undefined && { confidence }),
    source: 'speech' as const,
    engine: name,
    model,
    audioSeconds,
    segments,
    ...(vocabularyHeeded !== undefined && { vocabularyHeeded }),
  }
  const whole = { ...data, ...(words ? { words } : {}) }
  const fits = Buffer.byteLength(JSON.stringify(whole)) <= maxResultBytes
  return { type: 'SpeechTranscribed', data: fits ? whole : data }
}

/** The average over the words that have a value; undefined if none has. */
function meanConfidence(words: readonly Word[]): number | undefined {
  const known = words.flatMap(({ confidence }) => confidence ?? [])
  if (known.length === 0) return undefined
  return Math.round((known.reduce((sum, each) => sum + each, 0) / known.length) * 1000) / 1000
}

async function ownDirectory(parent: string): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(parent, 'speech-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
