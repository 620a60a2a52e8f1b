import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '#ops/local-engines/engine.ts'
import type { Fault, Scene } from './faults.ts'

/** How long it is stopped, or dead. */
const AWAY_MS = 4000
/** Longer than the deadline of a call, all its retries, and the lease of a step. */
const FROZEN_MS = 9000

/** Jobs that are accepted once it answers again, before the refusals are counted. */
const ACCEPTED_AFTER = 4

type Leave = { ms: number; go(store: Engine): void | Promise<void>; comeBack(store: Engine): void | Promise<void> }

const leaves: readonly Leave[] = [
  { ms: AWAY_MS, go: (store) => store.stop(), comeBack: (store) => store.start() },
  { ms: AWAY_MS, go: (store) => store.kill(), comeBack: (store) => store.start() },
  { ms: FROZEN_MS, go: (store) => store.freeze(), comeBack: (store) => store.thaw() },
]

/** When it went away, and when it answered again. */
type Outage = { leftAt: number; answersAt: number }

async function away({ cluster: { store }, deployment, load }: Scene, leave: Leave): Promise<Outage> {
  const leftAt = performance.now()
  await leave.go(store)
  await sleep(leave.ms)
  await leave.comeBack(store)
  await deployment.isReady(120)
  const answersAt = performance.now()
  await load.accepted(ACCEPTED_AFTER)
  return { leftAt, answersAt }
}

/** The event store does not answer for some seconds. Jobs may be refused meanwhile, and at no other time. */
export const storeAway: Fault = {
  name: 'the event store stopped, killed, and frozen for longer than any deadline; each time it is back',
  async happen(scene) {
    const outages: Outage[] = []
    for (const leave of leaves) outages.push(await away(scene, leave))
    const wrong = scene.load.refused.filter(({ askedAt, answeredAt }) =>
      outages.every(({ leftAt, answersAt }) => answeredAt < leftAt || askedAt > answersAt),
    )
    if (wrong.length === 0) return
    throw new Error(`${wrong.length} jobs were refused while the event store answered, such as: ${wrong[0]?.text}`)
  },
}
