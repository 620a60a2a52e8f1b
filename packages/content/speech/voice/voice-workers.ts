import { fileURLToPath } from 'node:url'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import { type SpeechWorkersPorts, speechWorkers } from '../speech-workers.ts'

const script = fileURLToPath(new URL('./worker.py', import.meta.url))
const MAX_MEMORY_BYTES = 400 * 1024 * 1024

/** The workers behind `findSpeech`: a separate pool, because they are quick and must not wait for transcripts. */
export const voiceWorkers = (ports: SpeechWorkersPorts): WorkerPool =>
  speechWorkers({ ...ports, script, maxMemoryBytes: MAX_MEMORY_BYTES, name: 'voice', maxWorkers: 2 })
