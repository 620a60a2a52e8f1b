import { fileURLToPath } from 'node:url'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import { type SpeechWorkersPorts, speechWorkers } from '../speech-workers.ts'
import type { WhisperModel } from './model.ts'

const script = fileURLToPath(new URL('./worker.py', import.meta.url))
const MEBIBYTE = 1024 * 1024
/** How long an idle worker is kept. A new worker answers its first request 2 s later than a warm one. */
const IDLE_MS = 10 * 60 * 1000

export type WhisperWorkersOptions = { model: WhisperModel; maxWorkers: number }

/** Memory of a worker. Measured: the libraries need 600 MiB, and a model three times its own size. */
export const memoryOf = (modelBytes: number): number => 768 * MEBIBYTE + 3 * modelBytes

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
