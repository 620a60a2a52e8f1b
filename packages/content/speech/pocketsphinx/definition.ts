import type { EngineDefinition } from '../engine-definition.ts'
import { pocketsphinxTraits } from '../traits.ts'
import { pocketsphinxEngine } from './engine.ts'
import { pocketsphinxWorkers } from './pocketsphinx-workers.ts'

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
