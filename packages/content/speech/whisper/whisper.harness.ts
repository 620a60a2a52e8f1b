import { modelStore } from '#test/doubles/speech/model-store.ts'
import { engineHarness } from '../engine.harness.ts'
import { whisperTraits, whisperWorkers } from './definition.ts'
import { whisperEngine } from './engine.ts'
import { openModel } from './model.ts'

/** Whisper with two workers and the model that `ops/setup` brings. */
export async function whisperHarness() {
  const harness = await engineHarness()
  const model = await openModel({ store: modelStore, name: 'base', ...harness.ports })
  const workers = whisperWorkers(harness.ports, { model, maxWorkers: 2 })
  const engine = whisperEngine({ workers, maxWorkers: 2, model, traits: whisperTraits(model, 2) })
  return {
    ...harness,
    model,
    workers,
    engine,
    async [Symbol.asyncDispose]() {
      await workers[Symbol.asyncDispose]()
      await harness[Symbol.asyncDispose]()
    },
  }
}

export type WhisperHarness = Awaited<ReturnType<typeof whisperHarness>>
