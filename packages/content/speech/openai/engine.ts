import { rm, stat } from 'node:fs/promises'
import { milliseconds } from '#packages/content/captions/milliseconds.ts'
import { baseLanguage } from '#packages/content/languages/base-language.ts'
import type { Launcher } from '#packages/content/media/launcher.ts'
import { RequestRefused } from '#packages/content/openai/failure.ts'
import { inParallel } from '#packages/foundation/concurrency/in-parallel.ts'
import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import { encodeFlac, wavBytesPerSecond } from '../encode-flac.ts'
import type { SpeechEngine, SpeechInput, Stretch, Transcript } from '../engine.ts'
import { measuredSpeed } from '../measured-speed.ts'
import { cutAtPauses, joinNeighbours, lengthOf, touches } from '../stretches.ts'
import { tidySegments } from '../tidy-segments.ts'
import { openAiTraits } from '../traits.ts'
import { type SpeechEndpointOptions, speechEndpoint } from './endpoint.ts'
import { limitsOf, type ModelLimits, takesPrompt } from './models.ts'
import type { Answer } from './read-answer.ts'

/**
 * The first piece of a long file in an unknown language. The others wait for its answer. This is as much as models
 * use to detect the language, however long the piece.
 */
const OPENING_SECONDS = 30
/** The most pieces that wait for their request. No process has enough slots to reach it. */
const MAX_WAITING = 10_000
/** The longest range sent to a model without times, which becomes one segment, and the longest pause in it. */
const STRETCH = { maxSeconds: 30, maxGapSeconds: 1 }
/** How far from the nearest voice activity a segment may lie and still be believed. */
const TOLERANCE_SECONDS = 0.25
const ENCODE_TIMEOUT_MS = 60_000

/** The endpoint accepts requests for this model, but answers without times. */
class NoTimes extends Error {}

type Piece = { stretch: Stretch; path: string | undefined }
type Heard = { stretch: Stretch; answer: Answer }

export type OpenAiEngineOptions = SpeechEndpointOptions & {
  launcher: Launcher
  /** Requests under way at once, for all files. One organization gets at most half of them. */
  requestsAtOnce: number
}

/**
 * Speech-to-text by any OpenAI-compatible `POST {baseUrl}/audio/transcriptions`. A file inside the model's limits
 * goes in one request. A longer one is cut at pauses, and its pieces are sent all at once. Text outside of voice
 * activity counts as made up and is dropped.
 */
export function openAiEngine(options: OpenAiEngineOptions): SpeechEngine {
  const { launcher, clock, model, requestsAtOnce } = options
  const limits = limitsOf(model)
  const endpoint = speechEndpoint(options)
  const speed = measuredSpeed(openAiTraits(model))
  const permits = new Semaphore(requestsAtOnce, { maxWaiting: MAX_WAITING })
  let { format } = limits

  const encode = ({ wavPath, directory, signal }: SpeechInput, stretch: Stretch) => {
    const name = `${stretch.start.toFixed(3)}-${stretch.end.toFixed(3)}.flac`
    return encodeFlac({ launcher, wavPath, directory, name, stretch, signal, timeoutMs: ENCODE_TIMEOUT_MS })
  }

  /** The whole file as one piece if it fits, else pieces that fit even uncompressed. */
  async function timedPieces(input: SpeechInput): Promise<Piece[]> {
    const whole = { start: 0, end: input.seconds }
    if (input.seconds <= limits.maxSeconds) {
      const path = await encode(input, whole)
      if ((await stat(path)).size <= limits.maxBytes) return [{ stretch: whole, path }]
      await rm(path)
    }
    const maxSeconds = Math.min(limits.maxSeconds, Math.floor(limits.maxBytes / (wavBytesPerSecond * 1.05)))
    const opening = tellsLanguage(input, format) ? OPENING_SECONDS : maxSeconds
    return cutAtPauses(input.seconds, input.regions, maxSeconds, opening)
      .filter((stretch) => touches(stretch, input.regions, 0))
      .map((stretch) => ({ stretch, path: undefined }))
  }

  /** Sends all pieces. Without a hint, the language of the first piece is the hint for the others. */
  async function ask(input: SpeechInput, as: ModelLimits['format'], pieces: Piece[]): Promise<Heard[]> {
    const waitInPlace = pieces.length > 1
    const hint = baseLanguage(input.lang)
    const one = async ({ stretch, path }: Piece, signal: AbortSignal, language: string | undefined): Promise<Heard> => {
      using _permit = await permits.acquire(signal, [input.organization])
      const file = path ?? (await encode({ ...input, signal }, stretch))
      const { deadlineAt, vocabulary, words } = input
      const answer = await endpoint.transcribe({
        path: file,
        seconds: lengthOf(stretch),
        format: as,
        language,
        vocabulary,
        words,
        waitInPlace,
        signal,
        deadlineAt,
      })
      input.onTranscribed(lengthOf(stretch))
      await rm(file, { force: true })
      return { stretch, answer }
    }
    const [first, ...others] = pieces
    if (!first) return []
    if (!tellsLanguage(input, as))
      return inParallel(pieces, requestsAtOnce, input.signal, (piece, signal) => one(piece, signal, hint))
    const opening = await one(first, input.signal, undefined)
    if (opening.answer.segments === undefined) throw new NoTimes()
    const language = baseLanguage(opening.answer.language)
    const rest = await inParallel(others, requestsAtOnce, input.signal, (piece, signal) => one(piece, signal, language))
    return [opening, ...rest]
  }

  async function timed(input: SpeechInput, as: ModelLimits['format']): Promise<Transcript> {
    const heard = await ask(input, as, await timedPieces(input))
    const segments = heard.flatMap(({ stretch, answer }, i) => {
      if (answer.segments === undefined) throw new NoTimes()
      return answer.segments.flatMap(placedIn(stretch, input.regions)).map((segment) => ({
        ...segment,
        // each answer names speakers on its own: A in one piece may not be A in the next
        ...(segment.speaker && heard.length > 1 ? { speaker: `${i + 1}-${segment.speaker}` } : {}),
      }))
    })
    const words = input.words ? wordsOf(heard, input.regions) : undefined
    return { ...transcriptOf(input, heard, segments), ...(words && { words }) }
  }

  async function untimed(input: SpeechInput): Promise<Transcript> {
    const stretches = joinNeighbours(input.regions, STRETCH)
    const pieces = stretches.map((stretch) => ({ stretch, path: undefined }))
    const heard = await ask(input, 'json', pieces)
    const segments = heard.map(({ stretch, answer }) => ({ ...stretch, text: answer.text }))
    return transcriptOf(input, heard, segments)
  }

  async function best(input: SpeechInput): Promise<Transcript> {
    if (format === 'json') return untimed(input)
    try {
      return await timed(input, format)
    } catch (error) {
      const mayAnswerOtherwise = error instanceof NoTimes || (error instanceof RequestRefused && !limits.known)
      if (!mayAnswerOtherwise) throw error
      // the endpoint may not support the words, or the vocabulary
      if (input.words) return best({ ...input, words: false })
      if (input.vocabulary !== null && error instanceof RequestRefused) return best({ ...input, vocabulary: null })
      const transcript = await untimed(input)
      format = 'json' // used from now on, because it worked
      return transcript
    }
  }

  return {
    name: 'openai',
    model,
    get secondsPerAudioSecond() {
      return speed.secondsPerAudioSecond
    },
    async transcribe(asked) {
      const startedAt = clock.now()
      const input = takesPrompt(format) ? asked : { ...asked, vocabulary: null }
      const transcript = await best(input)
      speed.record(input.seconds, (clock.now() - startedAt) / 1000)
      return transcript
    },
  }
}

/** Whether the answer for the first piece gives the language of the other pieces. */
const tellsLanguage = ({ lang }: SpeechInput, format: ModelLimits['format']): boolean =>
  format === 'verbose_json' && baseLanguage(lang) === undefined

function transcriptOf(input: SpeechInput, heard: Heard[], segments: Transcript['segments']): Transcript {
  const language = heard.find(({ answer }) => answer.language !== null)?.answer.language
  const { lang, vocabulary, seconds } = input
  return {
    language: language ?? baseLanguage(lang) ?? null,
    segments: tidySegments(segments, seconds),
    ...(vocabulary !== null && { vocabularyHeeded: [...vocabulary].length }),
  }
}

/** Moves a part of a text from its stretch to its place in the file. None if it lies outside voice activity. */
const placedIn =
  (stretch: Stretch, regions: SpeechInput['regions']) =>
  <T extends Stretch>(part: T): T[] => {
    const start = stretch.start + part.start
    const end = Math.min(stretch.start + part.end, stretch.end)
    const isHeard = start < stretch.end + TOLERANCE_SECONDS && touches({ start, end }, regions, TOLERANCE_SECONDS)
    return isHeard ? [{ ...part, start: Math.min(start, stretch.end), end }] : []
  }

/** The words inside voice activity. Undefined unless every piece has its words. */
function wordsOf(heard: Heard[], regions: SpeechInput['regions']): Transcript['words'] {
  if (heard.some(({ answer }) => answer.words === undefined)) return undefined
  const words = heard.flatMap(({ stretch, answer }) => (answer.words ?? []).flatMap(placedIn(stretch, regions)))
  return words.map((word) => ({ ...word, start: milliseconds(word.start), end: milliseconds(word.end) }))
}
