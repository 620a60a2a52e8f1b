import type { Launcher } from '#packages/content/media/launcher.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import type { Warned } from '#packages/foundation/readiness/readiness.ts'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import type { SpeechEngine } from './engine.ts'
import type { SpeechWorkersPorts } from './speech-workers.ts'
import type { SpeechTraits } from './traits.ts'

/** The engine cannot start; the message says why and what to do. */
export class EngineUnavailable extends Error {}

export type EnginePorts = SpeechWorkersPorts & {
  /** The folder of Whisper's models. */
  modelStore: string
}

/** An engine that can start. */
export type ReadyEngine = {
  traits: SpeechTraits
  /** A description for people, such as "pocketsphinx: on this machine, English only, rough". */
  description: string
  /** Starts it. The caller closes its workers, if it has any. `health`: of the outside service that it uses. */
  create(launcher: Launcher): Promise<{ engine: SpeechEngine; workers?: WorkerPool; health?: Warned }>
}

export type EngineDefinition = {
  /** The name in `SPEECH_ENGINE`. */
  name: string
  /** Finds out whether the engine can start. @throws EngineUnavailable */
  prepare(config: Config, ports: EnginePorts): Promise<ReadyEngine>
}
