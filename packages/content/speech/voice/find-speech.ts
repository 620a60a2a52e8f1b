import { fileURLToPath } from 'node:url'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import type { Stretch } from '../engine.ts'
import { type SpeechWorkersPorts, speechWorkers } from '../speech-workers.ts'

const script = fileURLToPath(new URL('./worker.py', import.meta.url))
const MAX_MEMORY_BYTES = 400 * 1024 * 1024

/** The workers behind `findSpeech`: a separate pool, because they are quick and must not wait for transcripts. */
export const voiceWorkers = (ports: SpeechWorkersPorts): WorkerPool =>
  speechWorkers({ ...ports, script, maxMemoryBytes: MAX_MEMORY_BYTES, name: 'voice', maxWorkers: 2 })

/** Longer stretches of speech are split at their quietest moments. */
const MAX_REGION_SECONDS = 15

/**
 * Finds voice activity: the regions of a 16 kHz mono WAV where speech is likely. Leaves out silence, noise, tones and
 * most music without drums. Singing passes for speech, and music with drums or bright, lively music may pass too.
 */
export function findSpeech({ workers }: { workers: WorkerPool }) {
  return async (
    wavPath: string,
    limits: { seconds: number; organization: string; signal: AbortSignal; deadlineAt: number },
  ): Promise<Stretch[]> => {
    const { seconds, organization, signal, deadlineAt } = limits
    // at worst, it took a hundredth of real time
    const timeoutMs = 20_000 + seconds * 50
    const message = { path: wavPath, maxSeconds: MAX_REGION_SECONDS }
    const found = (await workers.request(message, { signal, timeoutMs, deadlineAt, shares: [organization] })) as [
      number,
      number,
    ][]
    return found.map(([start, end]) => ({ start, end: Math.min(end, seconds) })).filter(({ start, end }) => end > start)
  }
}
