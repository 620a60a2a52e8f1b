import type { Config } from '#packages/config/config.ts'
import { countedMediaCache } from '#packages/media/counted-media-cache.ts'
import { decodeAudio } from '#packages/media/decode-audio.ts'
import type { MediaCache } from '#packages/media/media-cache.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { StepWork } from '#packages/processing/step.ts'
import type { SpeechEngine } from '#packages/speech/engine.ts'
import { pocketsphinxEngine } from '#packages/speech/pocketsphinx/engine.ts'
import { findSpeech } from '#packages/speech/pocketsphinx/find-speech.ts'
import { speechWorkers } from '#packages/speech/pocketsphinx/speech-workers.ts'
import { tracedSpeechEngine } from '#packages/speech/traced-speech-engine.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { tracedTool } from '#packages/telemetry/traced-tool.ts'
import type { WorkerPool } from '#packages/workers/worker-pool.ts'
import { keptTranscripts } from '#services/speech-to-text/kept-transcripts.ts'
import { type SpeechToTextOptions, speechToTextStep } from '#services/speech-to-text/step.ts'
import { measured, type OwnTelemetry } from './open-telemetry.ts'
import { PYTHON } from './outside.ts'

type Ports = { clock: Clock; log: Logger; telemetry: OwnTelemetry; platforms: Platforms; cache: MediaCache }

/** The speech-to-text step with the configured engine, and the workers that it needs. */
export type Speech = { step: StepWork; engine: SpeechEngine; workers: WorkerPool }

export async function createSpeech(
  config: Config,
  temporaryDirectory: string,
  { clock, log, telemetry, platforms, cache }: Ports,
): Promise<Speech> {
  // one organization may use half of the workers: that half is the configured number
  const workers = speechWorkers({ python: PYTHON, clock, log, telemetry, maxWorkers: 2 * config.pocketsphinxWorkers })
  const engine = measured(telemetry, await createEngine(config, workers, { clock, log }), tracedSpeechEngine)
  const tools: SpeechTools = {
    decodeAudio: (input, output, limits) =>
      decodeAudio(input, output, { ...limits, maxSeconds: config.mediaMaxSeconds }),
    findSpeech: findSpeech({ workers }),
  }
  const work = speechToTextStep({
    clock,
    engine,
    openMedia: platforms.openMedia,
    ...measured(telemetry, tools, tracedSpeechTools),
    temporaryDirectory,
  })
  const kept = measured(telemetry, cache, countedMediaCache('transcripts'))
  const step = keptTranscripts(work, { cache: kept, engine: `${engine.name} ${engine.model}` })
  return { step, engine, workers }
}

async function createEngine(
  config: Config,
  workers: WorkerPool,
  { clock, log }: Pick<Ports, 'clock' | 'log'>,
): Promise<SpeechEngine> {
  const { speechBaseUrl: baseUrl, speechModel: model, speechApiKey, speechRequests: requestsAtOnce } = config
  if (baseUrl === undefined) {
    log.warn({ engine: 'pocketsphinx' }, 'speech-to-text is rough and English only: SPEECH_BASE_URL is not set')
    return pocketsphinxEngine({ workers, clock, maxParallelRegions: config.pocketsphinxWorkers })
  }
  // the client takes a quarter of a second to load: only a process that uses it loads it
  const { openAiEngine } = await import('#packages/speech/openai/engine.ts')
  return openAiEngine({ baseUrl, model, apiKey: speechApiKey ?? '', requestsAtOnce, clock, log })
}

type SpeechTools = Pick<SpeechToTextOptions, 'decodeAudio' | 'findSpeech'>

const tracedSpeechTools = ({ decodeAudio, findSpeech }: SpeechTools, telemetry: Telemetry): SpeechTools => ({
  decodeAudio: tracedTool(telemetry, 'ffmpeg', 'decode-audio', decodeAudio),
  findSpeech: tracedTool(telemetry, 'pocketsphinx', 'find-speech', findSpeech),
})
