import { countedMediaCache } from '#packages/content/media/counted-media-cache.ts'
import { decodeAudio } from '#packages/content/media/decode-audio.ts'
import type { ChosenEngine } from '#packages/content/speech/choose-engine.ts'
import type { SpeechEngine } from '#packages/content/speech/engine.ts'
import { tracedSpeechEngine } from '#packages/content/speech/traced-speech-engine.ts'
import { findSpeech, voiceWorkers } from '#packages/content/speech/voice/find-speech.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import type { Warned } from '#packages/foundation/readiness/readiness.ts'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import type { StepWork } from '#packages/jobs/processing/step.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { tracedTool } from '#packages/telemetry/traced-tool.ts'
import { keptTranscripts } from '#services/speech-to-text/kept-transcripts.ts'
import { type SpeechToTextOptions, speechToTextStep } from '#services/speech-to-text/step.ts'
import { measured } from './open-telemetry.ts'
import { type PaidStepPorts, PYTHON } from './outside.ts'

/** The speech-to-text step with the chosen engine, and its worker pools by name. */
export type Speech = AsyncDisposable & {
  step: StepWork
  engine: SpeechEngine
  description: string
  pools: ReadonlyMap<string, WorkerPool>
  /** The outside services that it depends on. */
  outside: readonly Warned[]
}

export async function createSpeech(
  config: Config,
  chosen: ChosenEngine,
  temporaryDirectory: string,
  { clock, log, telemetry, platforms, cache, launcher, unpaid }: PaidStepPorts,
): Promise<Speech> {
  const { name, description, passedOver } = chosen
  if (name === 'pocketsphinx')
    log.warn({ engine: name, passedOver }, 'speech-to-text is rough and English only: ops/setup brings a better engine')
  const voice = voiceWorkers({ python: PYTHON, clock, log, telemetry })
  const { engine: chosenEngine, workers, health } = await chosen.create(launcher)
  const engine = measured(telemetry, chosenEngine, tracedSpeechEngine)
  const tools: SpeechTools = {
    decodeAudio: (input, output, limits) =>
      decodeAudio(input, output, { ...limits, launcher, maxSeconds: config.mediaMaxSeconds }),
    findSpeech: findSpeech({ workers: voice }),
  }
  const work = speechToTextStep({
    clock,
    engine,
    openMedia: platforms.openMedia,
    ...measured(telemetry, tools, tracedSpeechTools),
    temporaryDirectory,
  })
  const kept = measured(telemetry, cache, countedMediaCache('transcripts'))
  const step = keptTranscripts(unpaid.within(work), { cache: kept, engine: `${engine.name} ${engine.model}` })
  const pools = new Map([['voice', voice], ...(workers ? ([[name, workers]] as const) : [])])
  const closeAll = async () => {
    await Promise.all([...pools.values()].map((pool) => pool[Symbol.asyncDispose]()))
  }
  const outside = health ? [health] : []
  return { step, engine, description, pools, outside, [Symbol.asyncDispose]: closeAll }
}

type SpeechTools = Pick<SpeechToTextOptions, 'decodeAudio' | 'findSpeech'>

const tracedSpeechTools = ({ decodeAudio, findSpeech }: SpeechTools, telemetry: Telemetry): SpeechTools => ({
  decodeAudio: tracedTool(telemetry, 'ffmpeg', 'decode-audio', decodeAudio),
  findSpeech: tracedTool(telemetry, 'voice', 'find-speech', findSpeech),
})
