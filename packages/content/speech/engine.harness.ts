import { stat } from 'node:fs/promises'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { instantClock } from '#test/doubles/instant-clock.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { python } from '#test/doubles/python.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import type { SpeechEngine, SpeechInput, Transcript } from './engine.ts'
import type { SpeechWorkersPorts } from './speech-workers.ts'
import { findSpeech, voiceWorkers } from './voice/find-speech.ts'

/** The needs of a test of a local engine: a directory, workers that find speech, and a call like that of the step. */
export async function engineHarness() {
  await using opening = new AsyncDisposableStack()
  const { log, lines } = keptLog()
  const ports: SpeechWorkersPorts = { python, clock: instantClock(), log, telemetry: noTelemetry }
  const directory = opening.use(await temporaryDirectory())
  const voice = opening.use(voiceWorkers(ports))
  const find = findSpeech({ workers: voice })

  async function transcribe(
    engine: SpeechEngine,
    wavPath: string,
    more: Partial<SpeechInput> = {},
  ): Promise<Transcript & { transcribed: number }> {
    const limits = { organization: 'org', signal: new AbortController().signal, deadlineAt: Date.now() + 120_000 }
    const seconds = ((await stat(wavPath)).size - 44) / 32_000
    const regions = await find(wavPath, { seconds, ...limits })
    let transcribed = 0
    const onTranscribed = (length: number): void => {
      transcribed += length
    }
    const input = {
      wavPath,
      seconds,
      regions,
      lang: null,
      vocabulary: null,
      words: true,
      directory: directory.path,
      ...limits,
    }
    const transcript = await engine.transcribe({ ...input, onTranscribed, ...more })
    return { ...transcript, transcribed }
  }
  const own = opening.move()
  return { ports, lines, directory: directory.path, transcribe, [Symbol.asyncDispose]: () => own.disposeAsync() }
}

export type EngineHarness = Awaited<ReturnType<typeof engineHarness>>
