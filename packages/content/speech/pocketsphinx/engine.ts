import { milliseconds } from '#packages/content/captions/milliseconds.ts'
import { baseLanguage } from '#packages/content/languages/base-language.ts'
import { inParallel } from '#packages/foundation/concurrency/in-parallel.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Segment, SpeechEngine, SpeechInput, Stretch, Word } from '../engine.ts'
import { measuredSpeed } from '../measured-speed.ts'
import { tidySegments } from '../tidy-segments.ts'
import { pocketsphinxTraits } from '../traits.ts'

export type PocketsphinxEngineOptions = {
  workers: WorkerPool
  clock: Clock
  /** How many regions of one file are decoded at once. */
  maxParallelRegions?: number
}

type Heard = { segment: Segment; words: Word[] }

/** Local English speech-to-text. Rough: about every fourth clearly read word is wrong, in noise nearly all. */
export function pocketsphinxEngine({
  workers,
  clock,
  maxParallelRegions = 2,
}: PocketsphinxEngineOptions): SpeechEngine {
  const speed = measuredSpeed(pocketsphinxTraits)

  async function decode(region: Stretch, input: SpeechInput, signal: AbortSignal): Promise<Heard[]> {
    const { wavPath, deadlineAt, organization } = input
    // at worst, noise took one second per second
    const timeoutMs = 20_000 + (region.end - region.start) * 4000
    const message = { path: wavPath, ...region }
    const found = await workers.request(message, { signal, timeoutMs, deadlineAt, shares: [organization] })
    input.onTranscribed(region.end - region.start)
    return heardIn(region, found as [number, number, string, number][])
  }

  return {
    name: 'pocketsphinx',
    model: 'en-us',
    get secondsPerAudioSecond() {
      return speed.secondsPerAudioSecond
    },
    async transcribe(input) {
      assertEnglish(input.lang)
      const startedAt = clock.now()
      const all = await inParallel(input.regions, maxParallelRegions, input.signal, (region, signal) =>
        decode(region, input, signal),
      )
      speed.record(input.seconds, (clock.now() - startedAt) / 1000)
      const heard = all.flat()
      return {
        language: 'en',
        segments: tidySegments(
          heard.map(({ segment }) => segment),
          input.seconds,
        ),
        words: heard.flatMap(({ words }) => words),
      }
    },
  }
}

function assertEnglish(lang: string | null): void {
  if ((baseLanguage(lang) ?? 'en') === 'en') return
  throw new StepError('media_unsupported', {
    message: `The speech engine of this service understands English only, but the requested language is ${lang}.`,
  })
}

function heardIn(region: Stretch, found: [number, number, string, number][]): Heard[] {
  const words = found.map(([start, end, text, confidence]) => ({
    start: milliseconds(start),
    end: milliseconds(Math.min(end, region.end)),
    text,
    confidence: Math.round(confidence * 100) / 100,
  }))
  const [first] = words
  const last = words.at(-1)
  if (!first || !last || isInvented(region, words)) return []
  return [{ segment: { start: first.start, end: last.end, text: words.map(({ text }) => text).join(' ') }, words }]
}

/** Few words, all uncertain: the recogniser transcribes music like this if voice detection let it pass. */
function isInvented(region: Stretch, words: { confidence: number }[]): boolean {
  const confidence = words.reduce((sum, word) => sum + word.confidence, 0) / words.length
  return words.length < region.end - region.start && confidence < 0.35
}
