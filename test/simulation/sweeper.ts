import { storeChanges } from '#packages/history/retention/store-changes.ts'
import { sweep } from '#packages/history/retention/sweep.ts'
import type { Component, ComponentPorts } from '#services/host/components.ts'
import { DAY_MS } from './settings.ts'
import type { World } from './world.ts'

/** The service sweeps once an hour; the simulation does not wait that long. */
const EVERY_MS = 4000

/** Moves streams that are older than a day out of the store, into an archive in memory. */
export function sweeper(ports: ComponentPorts, { archive, sweeps }: World): Component {
  const { store, clock } = ports
  const changes = storeChanges({ ...ports, dropCached: async () => {} })
  return {
    async run(signal) {
      while (!signal.aborted) {
        const cutoff = Math.min(clock.now(), sweeps.until) - DAY_MS
        // The next sweep continues what a failed one has left.
        await archive
          .export(store, signal)
          .then(() => sweep({ store, archive, changes }, cutoff))
          .catch(() => undefined)
        await clock.sleep(EVERY_MS, signal).catch(() => undefined)
      }
    },
  }
}
