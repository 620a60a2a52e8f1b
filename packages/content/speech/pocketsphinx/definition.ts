import { fileURLToPath } from 'node:url'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import type { EngineDefinition } from '../engine-definition.ts'
import { type SpeechWorkersPorts, speechWorkers } from '../speech-workers.ts'
import { pocketsphinxTraits } from '../traits.ts'
import { pocketsphinxEngine } from './engine.ts'

const script = fileURLToPath(new URL('./worker.py', import.meta.url))
const MAX_MEMORY_BYTES = 400 * 1024 * 1024

/** Workers that decode English speech (worker.py). */
export const pocketsphinxWorkers = (ports: SpeechWorkersPorts, maxWorkers = 2): WorkerPool =>
  speechWorkers({ ...ports, script, maxMemoryBytes: MAX_MEMORY_BYTES, name: 'pocketsphinx', maxWorkers })

export const pocketsphinx: EngineDefinition = {
  name: 'pocketsphinx',
  prepare: async (config, ports) => ({
    traits: pocketsphinxTraits,
    description: 'pocketsphinx: on this machine, English only, rough',
    async create() {
      // one organization may use half of the workers: that half is the configured number
      const maxParallelRegions = config.pocketsphinxWorkers
      const workers = pocketsphinxWorkers(ports, 2 * maxParallelRegions)
      return { engine: pocketsphinxEngine({ workers, clock: ports.clock, maxParallelRegions }), workers }
    },
  }),
}
