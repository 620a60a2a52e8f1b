import { MongoConnection } from '#packages/adapters/mongodb/connection.ts'
import { openMongoViews } from '#packages/adapters/mongodb/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { ORCHESTRATOR_NOTE, type OrchestratorNote } from '#packages/events/views/orchestrator-note.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { until } from '#test/doubles/service/until.ts'
import type { Fault, Scene } from './faults.ts'

/**
 * After a kill and while the owner is frozen, another process does its work within this time, seconds: fifteen on a
 * machine that is less busy than this one.
 */
const TAKEN_OVER_WITHIN = 45

/**
 * After an orderly stop: the two seconds that the contract of Ownership requires, plus the time until the next owner
 * has written something.
 */
const HANDED_OVER_WITHIN = 20

type OwnedService = 'orchestrator' | 'projections'
type MovedWithin = (scene: Scene, seconds: number) => Promise<void>

/** Waits until an owner has written its note after this instant. @throws Error if none has within this many seconds */
const jobsMoveOn: MovedWithin = async ({ cluster }, seconds) => {
  // A note of the previous owner may be under way.
  const since = Date.now() + 500
  await using connection = new MongoConnection({ url: cluster.variables.MONGODB_URL ?? '' })
  await using views = openMongoViews({ connection, clock, definition })
  const isWritten = async (): Promise<boolean> => {
    const notes = await views.getNotes<OrchestratorNote>([ORCHESTRATOR_NOTE])
    return (notes.get(ORCHESTRATOR_NOTE)?.writtenAt ?? 0) > since
  }
  await until('there is an owner at work', isWritten, { seconds, everyMs: 100 })
}

/** Waits until the views have passed a key that is made now. @throws Error if they have not within this many seconds */
const viewsAreKept: MovedWithin = async ({ cluster, load: { backDoor, clients } }, seconds) => {
  await using connection = new MongoConnection({ url: cluster.variables.MONGODB_URL ?? '' })
  await using views = openMongoViews({ connection, clock, definition })
  const made = await clients[0]?.post('/v1/keys', { name: 'passes the views' })
  const keyId = String(made?.body.id)
  await clients[0]?.delete(`/v1/keys/${keyId}`)
  const position = (await backDoor.store.read(`key-${keyId}`)).at(-1)?.position
  if (position === undefined) throw new Error(`no key was made: ${made?.text}`)
  if (await views.waitForApplied(position, seconds * 1000)) return
  throw new Error('no process keeps the views')
}

/** Starts another process of a service, and waits until it is a standby, which takes a while on a busy machine. */
async function standby({ deployment }: Scene, service: OwnedService): Promise<AsyncDisposable> {
  const stoodBy = () => deployment.output.split(new RegExp(`"group":"[^"]*\\.${service}".*"standing by"`)).length
  const before = stoodBy()
  const started = await deployment.another(service)
  await until(`another process of ${service} stands by`, () => stoodBy() > before, { seconds: 180 })
  return started
}

/**
 * The supervised process is the owner at the beginning, and again once the second process has taken over and stopped.
 * So each step is about a known process. A frozen owner works beside its successor for a moment once it wakes up.
 */
async function ownersChange(scene: Scene, service: OwnedService, moved: MovedWithin): Promise<void> {
  const { deployment, load } = scene
  const second = await standby(scene, service)
  await load.accepted(2)
  {
    using _frozen = deployment.freezeWatched(service)
    await moved(scene, TAKEN_OVER_WITHIN)
  }
  await load.accepted(2)
  await Promise.all([second[Symbol.asyncDispose](), moved(scene, HANDED_OVER_WITHIN)])
  await using _third = await standby(scene, service)
  await load.accepted(2)
  await Promise.all([deployment.killWatched(service), moved(scene, TAKEN_OVER_WITHIN)])
  await load.accepted(2)
}

/** Both at once: the two groups of owners are independent, and most of it is waiting. */
export const changesOfOwners: Fault = {
  name: 'the owners of the orchestrators and of the views frozen, stopped and killed, each beside a standby',
  async happen(scene) {
    await Promise.all([
      ownersChange(scene, 'orchestrator', jobsMoveOn),
      ownersChange(scene, 'projections', viewsAreKept),
    ])
  },
}
