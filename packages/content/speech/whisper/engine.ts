import { baseLanguage } from '#packages/content/languages/base-language.ts'
import { inParallel } from '#packages/foundation/concurrency/in-parallel.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import type { SpeechEngine, SpeechInput, Stretch, Transcript } from '../engine.ts'
import { measuredSpeed } from '../measured-speed.ts'
import { lengthOf } from '../stretches.ts'
import { tidySegments } from '../tidy-segments.ts'
import type { SpeechTraits } from '../traits.ts'
import type { WhisperModel } from './model.ts'
import { piecesOf } from './pieces.ts'
import { type HeardPiece, readHeard } from './read-heard.ts'

/** At this probability, a piece keeps its own language, although the others have another. */
const SURE = 0.9

export type WhisperEngineOptions = {
  workers: WorkerPool
  /** The number of workers: one recording may use them all. */
  maxWorkers: number
  model: WhisperModel
  traits: SpeechTraits
}

type Asked = { language: string | undefined; detects: boolean }
type Heard = { piece: Stretch; answer: HeardPiece }

/** Local, offline speech-to-text by Whisper, in any of its languages. */
export function whisperEngine({ workers, maxWorkers, model, traits }: WhisperEngineOptions): SpeechEngine {
  const speed = measuredSpeed({ ...traits, overheadSeconds: 0 })

  async function hear(piece: Stretch, input: SpeechInput, signal: AbortSignal, asked: Asked): Promise<Heard> {
    const { wavPath, vocabulary, deadlineAt, organization } = input
    const { language = null, detects } = asked
    const message = { path: wavPath, ...piece, language, detects, vocabulary }
    // at worst, noise took seven times as long as speech, and a worker may have to load its model first
    const timeoutMs = 30_000 + lengthOf(piece) * 8000
    const answer = await workers.request(message, { signal, timeoutMs, deadlineAt, shares: [organization] })
    if ((answer as { unknown?: true }).unknown) throw unknownLanguage(input.lang)
    return { piece, answer: answer as HeardPiece }
  }

  /** The opening shows the spoken language, even if a language was requested. */
  async function hearAll(pieces: readonly Stretch[], input: SpeechInput): Promise<Heard[]> {
    const language = whisperCode(input.lang)
    return inParallel(pieces, maxWorkers, input.signal, async (piece, signal) => {
      const heard = await hear(piece, input, signal, {
        language,
        detects: language === undefined || piece === pieces[0],
      })
      input.onTranscribed(lengthOf(piece))
      return heard
    })
  }

  /** If a piece is unsure of its language and the others have another one, it is transcribed again in that. */
  async function agreed(all: readonly Heard[], spoken: string, input: SpeechInput): Promise<Heard[]> {
    const isDoubtful = ({ answer: { heard } }: Heard) => heard !== null && heard[0] !== spoken && heard[1] < SURE
    return inParallel(all, maxWorkers, input.signal, async (one, signal) =>
      isDoubtful(one) ? hear(one.piece, input, signal, { language: spoken, detects: false }) : one,
    )
  }

  async function transcribe(input: SpeechInput): Promise<Transcript> {
    await model.assertWhole()
    const pieces = piecesOf(input.seconds, input.regions, maxWorkers)
    const first = await hearAll(pieces, input)
    const asked = whisperCode(input.lang)
    const [spoken, probability] = spokenIn(first)
    const all = asked === undefined && spoken !== undefined ? await agreed(first, spoken, input) : first
    // not the elapsed time: if others use the workers too, the file itself is not too long
    const worked = all.reduce((sum, { answer }) => sum + answer.seconds, 0)
    speed.record(input.seconds, worked / maxWorkers)
    const read = all.flatMap(({ piece, answer }) => readHeard(answer, piece, input.regions))
    const language = asked ?? spoken
    const { vocabulary } = input
    const heeded = all[0]?.answer.heeded
    return {
      language: language === undefined ? null : languageTag(language),
      ...(spoken !== undefined && { heard: { language: languageTag(spoken), probability } }),
      segments: tidySegments(
        read.map(({ segment }) => segment),
        input.seconds,
      ),
      words: read.flatMap(({ words }) => words),
      ...(vocabulary !== null && heeded !== undefined && { vocabularyHeeded: heeded }),
    }
  }

  return {
    name: 'whisper',
    model: `${model.name}@${model.version}`,
    get secondsPerAudioSecond() {
      return speed.secondsPerAudioSecond
    },
    transcribe,
  }
}

/** The language of most of the sound, and its mean probability there. Undefined if none was found. */
function spokenIn(all: readonly Heard[]): [language: string | undefined, probability: number] {
  const sums = new Map<string, { weight: number; seconds: number }>()
  for (const { piece, answer } of all) {
    if (answer.heard === null) continue
    const [code, probability] = answer.heard
    const { weight, seconds } = sums.get(code) ?? { weight: 0, seconds: 0 }
    sums.set(code, { weight: weight + probability * lengthOf(piece), seconds: seconds + lengthOf(piece) })
  }
  const [best] = [...sums].toSorted(([, a], [, b]) => b.weight - a.weight)
  if (best === undefined) return [undefined, 0]
  const [language, { weight, seconds }] = best
  return [language, Math.round((weight / seconds) * 1000) / 1000]
}

const unknownLanguage = (lang: string | null): StepError =>
  new StepError('media_unsupported', {
    message: `The speech model of this service does not support the requested language, ${lang}.`,
  })

/** Whisper's codes that differ from the language of the tag. */
const codes: Readonly<Record<string, string>> = { nb: 'no', fil: 'tl', jv: 'jw', cmn: 'zh' }
const tags: Readonly<Record<string, string>> = { jw: 'jv' }

/** Whisper's code of the language that a customer requests. Undefined if none is requested. */
function whisperCode(lang: string | null): string | undefined {
  const language = baseLanguage(lang)
  return language === undefined ? undefined : (codes[language] ?? language)
}

/** The BCP 47 tag of one of Whisper's codes. */
const languageTag = (code: string): string => tags[code] ?? code
