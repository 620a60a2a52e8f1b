import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '#ops/local-engines/engine.ts'
import type { Fault, Scene } from './faults.ts'

/** How long it is stopped, or dead. */
const AWAY_MS = 4000
/** Longer than the deadline of a call, all its repetitions, and the lease of a step. */
const FROZEN_MS = 9000

/** So many jobs are accepted once it answers again, before the refusals are counted. */
const ACCEPTED_AFTER = 4

/**
 * The event store leaves and comes back. Jobs may be refused while it is away.
 * @throws Error one was refused while it answered
 */
async function awhile({ cluster: { store }, deployment, load }: Scene, leave: Leave, ms: number): Promise<void> {
  const leftAt = performance.now()
  await leave.go(store)
  await sleep(ms)
  await leave.comeBack(store)
  await deployment.isReady(30)
  const answersAt = performance.now()
  await load.accepted(ACCEPTED_AFTER)
  const wrong = load.refused.filter(({ askedAt, answeredAt }) => answeredAt < leftAt || askedAt > answersAt)
  if (wrong.length === 0) return
  throw new Error(`${wrong.length} jobs were refused while the event store answered, such as: ${wrong[0]?.text}`)
}

type Leave = { go(store: Engine): void | Promise<void>; comeBack(store: Engine): void | Promise<void> }

const stopped: Leave = { go: (store) => store.stop(), comeBack: (store) => store.start() }
const killed: Leave = { go: (store) => store.kill(), comeBack: (store) => store.start() }
const frozen: Leave = { go: (store) => store.freeze(), comeBack: (store) => store.thaw() }

/** The event store does not answer for some seconds. */
export const storeAway: readonly Fault[] = [
  { name: 'event store stopped and back', happen: (scene) => awhile(scene, stopped, AWAY_MS) },
  { name: 'event store killed and back', happen: (scene) => awhile(scene, killed, AWAY_MS) },
  { name: 'event store frozen for longer than any deadline', happen: (scene) => awhile(scene, frozen, FROZEN_MS) },
]
