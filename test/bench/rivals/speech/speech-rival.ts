import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { python } from '#test/doubles/python.ts'
import { modelStore } from '#test/doubles/speech/model-store.ts'
import type { Heard } from '../../service/speech-engine-process.ts'
import { installRival, rivalEnvironment, rivalFolder, startLineProcess } from '../python-rival.ts'

const folder = rivalFolder('speech')
const environment = rivalEnvironment(folder)
const ggml = join(folder, 'base.ggml')
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const base = join(modelStore, 'base')

/** Installs what the rivals need beside .venv, and converts our model for whisper.cpp, if they are missing. */
export const prepareRivals = (): Promise<void> =>
  installRival(folder, 'requirements-bench.txt', async () => {
    await promisify(execFile)(python, [script('./ct2_to_ggml.py'), base, ggml], { env: environment })
  })

export type SpeechRival = AsyncDisposable & { hear(path: string): Promise<Heard> }

/** Starts a rival in a process of its own (contestant.py), which loads its model first. */
export function startRival(name: string, threads: number): SpeechRival {
  const args = [script('./contestant.py'), name, name === 'whisper.cpp' ? ggml : base, String(threads)]
  const rival = startLineProcess(name, args, { ...environment, OMP_NUM_THREADS: String(threads) })
  return {
    hear: async (path) => (await rival.ask(path)) as Heard,
    [Symbol.asyncDispose]: () => rival[Symbol.asyncDispose](),
  }
}
