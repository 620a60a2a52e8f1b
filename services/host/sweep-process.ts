/**
 * A child process that exports and sweeps once, or removes forgotten streams from an archive.
 *
 * It only reads the events, and asks the service for every change. So the service's event loop stays free, and its
 * memory stays consistent with the store.
 */
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import { forgetRemoved } from '#packages/history/archive/forget-removed.ts'
import { exportAndSweep, type RetentionOptions } from '#packages/history/retention/export-and-sweep.ts'
import type { StoreChanges, Swept } from '#packages/history/retention/sweep.ts'
import { openStore } from './engines.ts'

/** The first message to the process. `events`: the event file. Without `cutoff` nothing is exported or swept. */
export type SweepTask = { config: Config; events: string; cutoff?: number } & Omit<
  RetentionOptions,
  'origin' | 'cutoff'
>

/** A change that the service is to make, one at a time. */
export type AskedChange = {
  [Name in keyof StoreChanges]: { name: Name; given: Parameters<StoreChanges[Name]> }
}[keyof StoreChanges]

/** The result of an export with its sweep. */
export type Exported = Swept & { exported: number }

export type FromSweep =
  | { change: AskedChange }
  | { done: Exported | number }
  | { failed: { message: string; code: unknown; stack: string | undefined } }

/** The answer to a change. `error`: why it was not made. */
export type ToSweep = { made: true } | { error: string }

const send = (message: FromSweep): void => void process.send?.(message)

/** The next message from the service. */
const received = <T>(): Promise<T> =>
  new Promise((resolve) => process.once('message', (message) => resolve(message as T)))

async function ask(change: AskedChange): Promise<void> {
  send({ change })
  const answer = await received<ToSweep>()
  if ('error' in answer) throw new Error(answer.error)
}

const changes: StoreChanges = {
  removeJobs: (...given) => ask({ name: 'removeJobs', given }),
  truncate: (...given) => ask({ name: 'truncate', given }),
  removeRemovals: (...given) => ask({ name: 'removeRemovals', given }),
}

async function open({ config, events }: SweepTask) {
  if (config.eventStoreUrl !== undefined) return { ...(await openStore(config, { events })), origin: null }
  const store = await openSqliteEventStore({ path: events, readOnly: true })
  return { store, origin: store.origin.id }
}

async function run(task: SweepTask): Promise<void> {
  const { store, origin } = await open(task)
  await using _closed = store
  const { directory, program, cutoff } = task
  const archive = { directory, program, origin }
  const done =
    cutoff === undefined
      ? await forgetRemoved(store, archive)
      : await exportAndSweep(store, changes, { ...archive, cutoff })
  send({ done })
}

// Ctrl-C reaches this process too. It ignores it, because the service ends it.
process.on('SIGINT', () => {})
await run(await received<SweepTask>()).catch((error: Error & { code?: unknown }) =>
  send({ failed: { message: error.message, code: error.code, stack: error.stack } }),
)
process.disconnect?.()
