import { fileURLToPath } from 'node:url'
import { type ChosenEngine, chooseEngine } from '#packages/content/speech/choose-engine.ts'
import type { EnginePorts } from '#packages/content/speech/engine-definition.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import { PYTHON } from './outside.ts'

/** The folder in which ops/setup stores the Whisper models. */
const MODEL_STORE = fileURLToPath(new URL('../../.models/whisper', import.meta.url))

/** The speech engine that this service uses. @throws ConfigError SPEECH_ENGINE names one that cannot start */
export const chosenEngine = (
  config: Config,
  { clock, log, telemetry }: Pick<EnginePorts, 'clock' | 'log' | 'telemetry'>,
): Promise<ChosenEngine> => chooseEngine(config, { python: PYTHON, modelStore: MODEL_STORE, clock, log, telemetry })
