import { fileURLToPath } from 'node:url'
import type { Config } from '#packages/config/config.ts'
import { type ChosenEngine, chooseEngine } from '#packages/speech/choose-engine.ts'
import type { EnginePorts } from '#packages/speech/engine-definition.ts'
import { PYTHON } from './outside.ts'

/** The folder in which ops/setup stores the Whisper models. */
const MODEL_STORE = fileURLToPath(new URL('../../.models/whisper', import.meta.url))

/** The speech engine that this service uses. @throws ConfigError SPEECH_ENGINE names one that cannot start */
export const chosenEngine = (
  config: Config,
  { clock, log, telemetry }: Pick<EnginePorts, 'clock' | 'log' | 'telemetry'>,
): Promise<ChosenEngine> => chooseEngine(config, { python: PYTHON, modelStore: MODEL_STORE, clock, log, telemetry })
