import { emptyState } from '#packages/adapters/views-state.ts'
import type { Process } from './processes.ts'
import type { World } from './world.ts'

const EVERY_MS = 1000

const kindsCutOff = [['append', 'read', 'views', 'publish'], ['append', 'read'], ['append'], ['views']] as const

/** Once a second, pauses, stops and cuts off processes by chance from the seed, as long as faults are on. */
export function disturb(world: World, processes: readonly Process[]): void {
  const random = world.random.fork('disturbances')
  const { leaseSeconds, windowSeconds } = world.settings
  const leaseMs = leaseSeconds * 1000

  function disturbOne(process: Process): void {
    const { life } = process
    if (life === undefined) return
    if (world.faults.strikes('process stopped', random)) process.stop()
    else if (world.faults.strikes('process paused', random)) {
      const ms = random.pick([300, 3000, 1.2 * leaseMs, 2.5 * leaseMs])
      world.trace.add(life.name, `is paused for ${ms} ms`)
      life.pause(ms)
      world.record.hinder(life.name, ms + AFTER_PAUSE_MS)
    }
    if (world.faults.strikes('process cut off', random)) {
      const ms = random.pick([1000, 8000, leaseMs, random.chance(0.3) ? windowSeconds * 1000 + 75_000 : leaseMs])
      const kinds = random.pick(kindsCutOff)
      world.trace.add(life.name, `is cut off from ${kinds.join(', ')} for ${ms} ms`)
      world.record.cutOff(life.name, kinds, ms)
    }
  }

  /** Keeps jobs open long past their deadlines, and crashes the orchestrators at the worst moment. */
  function blackOut(process: Process): void {
    const ms = (windowSeconds + random.between(60, 75)) * 1000
    const kinds = random.pick(kindsCutOff)
    world.faults.count('process cut off')
    const { life } = process
    if (life === undefined) return
    world.trace.add(life.name, `is cut off from ${kinds.join(', ')} for ${ms} ms`)
    world.record.cutOff(life.name, kinds, ms)
    world.scheduler.after(ms + random.pick([-500, 500, 1500, 3000, 8000]), () => process.crash())
  }
  if (world.settings.blackout) {
    const orchestrators = processes.filter(({ parts }) => parts.includes('orchestrator'))
    world.scheduler.after(random.between(1000, 10_000), () => orchestrators.forEach(blackOut))
  }

  const sweeps = world.random.fork('scavenges')
  /** Scavenges the store: removed streams are deleted permanently, and positions jump. */
  function sweep(): void {
    if (!world.faults.strikes('store scavenged', sweeps)) return
    const places = sweeps.pick([1, 40, 1500, 5000])
    world.trace.add('store', `is scavenged, and goes on ${places} places further`)
    world.events.scavenge(places)
  }

  const loseViews = viewsLoss(world)
  const tick = (): void => {
    if (!world.faults.on) return
    sweep()
    for (const process of processes) disturbOne(process)
    loseViews()
    world.scheduler.after(EVERY_MS, tick)
  }
  world.scheduler.after(EVERY_MS, tick)
}

/** A position in another event store. */
const OF_OTHERS = 1_000_000

/** At times empties the views, restores an older copy of them, or replaces them. */
function viewsLoss(world: World): () => void {
  const random = world.random.fork('views lost')
  const { documents } = world
  let copy = documents.copy()
  const losses: Record<string, () => void> = {
    'are emptied': () => documents.empty(),
    'are put back to an older copy': () => documents.putBack(copy),
    'are exchanged for those of another event store': () => {
      const generation = Math.max(world.scheduler.now, (documents.state?.generation ?? 0) + 1)
      documents.makeNew({ ...emptyState('another store', generation), applied: OF_OTHERS, isReadable: true })
    },
    'lose their notes': () => documents.notes.clear(),
  }
  return () => {
    if (random.chance(0.1)) copy = documents.copy()
    if (!world.faults.strikes('views lost', random)) return
    const what = random.pick(Object.keys(losses))
    world.trace.add('views', what)
    losses[what]?.()
  }
}

/** First pause before a message that a paused worker had taken is delivered again, milliseconds. */
export const AFTER_PAUSE_MS = 10_000
