import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import { type EngineDefinition, EngineUnavailable } from '../engine-definition.ts'
import { type SpeechWorkersPorts, speechWorkers } from '../speech-workers.ts'
import type { SpeechTraits } from '../traits.ts'
import { whisperEngine } from './engine.ts'
import { ModelProblem, openModel, type WhisperModel } from './model.ts'

const script = fileURLToPath(new URL('./worker.py', import.meta.url))
const MEBIBYTE = 1024 * 1024
/** How long an idle worker is kept. A new worker answers its first request 2 s later than a warm one. */
const IDLE_MS = 10 * 60 * 1000

type WhisperWorkersOptions = { model: WhisperModel; maxWorkers: number }

/** Memory of a worker. Measured: the libraries need 600 MiB, and a model three times its own size. */
const memoryOf = (modelBytes: number): number => 768 * MEBIBYTE + 3 * modelBytes

/** Workers that transcribe with Whisper (worker.py). They are lent while no other organization waits for them. */
export function whisperWorkers(ports: SpeechWorkersPorts, { model, maxWorkers }: WhisperWorkersOptions): WorkerPool {
  return speechWorkers({
    ...ports,
    script,
    maxMemoryBytes: memoryOf(model.bytes),
    args: [model.folder],
    name: 'whisper',
    maxWorkers,
    idleMs: IDLE_MS,
    lends: true,
  })
}

/**
 * Processor seconds per second of sound and byte of the weights. Measured with base: 0.12 per second on a crowded
 * machine; two workers took 194 s for an hour on a quiet one. tiny.en takes the same per byte.
 */
const SECONDS_PER_BYTE = 0.12 / 145e6

/** The traits until the speed is measured. All workers together transcribe one recording. */
export const whisperTraits = ({ bytes }: Pick<WhisperModel, 'bytes'>, workers: number): SpeechTraits => ({
  tellsSpeakers: false,
  overheadSeconds: 3,
  secondsPerAudioSecond: (SECONDS_PER_BYTE * bytes) / workers,
})

export const whisper: EngineDefinition = {
  name: 'whisper',
  async prepare(config, ports) {
    const { modelStore: store, clock, log } = ports
    const model = await openModel({ store, name: config.whisperModel, clock, log }).catch((error: unknown) => {
      throw error instanceof ModelProblem ? new EngineUnavailable(error.message) : error
    })
    const maxWorkers = config.whisperWorkers ?? Math.max(2, availableParallelism())
    const traits = whisperTraits(model, maxWorkers)
    return {
      traits,
      description: `Whisper ${model.name}: on this machine`,
      async create() {
        const workers = whisperWorkers(ports, { model, maxWorkers })
        return { engine: whisperEngine({ workers, maxWorkers, model, traits }), workers }
      },
    }
  },
}
