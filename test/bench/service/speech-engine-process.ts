/** A process with a speech engine of this machine, wired as in the service: sound in, text out. */
import { stat } from 'node:fs/promises'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { Launcher } from '#packages/content/media/launcher.ts'
import type { SpeechEngine } from '#packages/content/speech/engine.ts'
import { findSpeech, voiceWorkers } from '#packages/content/speech/voice/find-speech.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { chosenEngine } from '#services/host/speech-engine.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { python } from '#test/doubles/python.ts'
import { cpuSeconds } from '../kit/cpu-time.ts'
import { peakBytes } from '../kit/peak-memory.ts'
import { serveCalls } from '../kit/serve-calls.ts'

export type Hearing = { path: string; organization?: string }
/**
 * The text of a recording. `cpuSeconds` is right only if nothing else is transcribed meanwhile. `peakBytes` is the peak
 * of the largest worker.
 */
export type Heard = { text: string; cpuSeconds: number; wallSeconds: number; peakBytes: number }

const ports = { python, clock, log: keptLog().log, telemetry: noTelemetry }
const voice = voiceWorkers(ports)
const find = findSpeech({ workers: voice })
const launcher = new Launcher()
let engine: SpeechEngine
let workers: WorkerPool | undefined

async function open({ engine: name }: { engine: string }): Promise<void> {
  const chosen = await chosenEngine(readConfig({ SPEECH_ENGINE: name, WHISPER_MODEL: 'base' }), ports)
  ;({ engine, workers } = await chosen.create(launcher))
}

async function hear({ path, organization = 'org' }: Hearing): Promise<Heard> {
  const [cpu, from] = [cpuSeconds([process.pid]), performance.now()]
  const limits = { organization, signal: new AbortController().signal, deadlineAt: clock.now() + 3_600_000 }
  const seconds = ((await stat(path)).size - 44) / 32_000
  const regions = await find(path, { ...limits, seconds })
  const input = {
    wavPath: path,
    seconds,
    regions,
    lang: null,
    words: true,
    vocabulary: null,
    directory: '/nonexistent',
    ...limits,
  }
  const { segments } = await engine.transcribe({ ...input, onTranscribed: () => {} })
  return {
    text: segments.map(({ text }) => text).join(' '),
    wallSeconds: (performance.now() - from) / 1000,
    cpuSeconds: cpuSeconds([process.pid]) - cpu,
    peakBytes: Math.max(...(workers?.pids ?? []).map(peakBytes)),
  }
}

serveCalls({ open, hear }, async () => {
  await Promise.all([voice[Symbol.asyncDispose](), launcher[Symbol.asyncDispose](), workers?.[Symbol.asyncDispose]()])
})
