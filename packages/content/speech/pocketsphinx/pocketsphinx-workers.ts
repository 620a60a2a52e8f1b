import { fileURLToPath } from 'node:url'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import { type SpeechWorkersPorts, speechWorkers } from '../speech-workers.ts'

const script = fileURLToPath(new URL('./worker.py', import.meta.url))
const MAX_MEMORY_BYTES = 400 * 1024 * 1024

/** Workers that decode English speech (worker.py). */
export const pocketsphinxWorkers = (ports: SpeechWorkersPorts, maxWorkers = 2): WorkerPool =>
  speechWorkers({ ...ports, script, maxMemoryBytes: MAX_MEMORY_BYTES, name: 'pocketsphinx', maxWorkers })
