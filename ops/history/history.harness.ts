import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openEventStoreDb } from '#packages/adapters/eventstoredb/event-store.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { startEventStoreDouble } from '#test/doubles/eventstoredb/server.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { carryOut } from './carry-out.ts'
import {
  type CommandContext,
  type CommandOf,
  type HistoryCommand,
  historyOptions,
  parseHistoryCommand,
} from './command.ts'

/** A data directory, the variables, and where the output goes. */
type Place = { dataDir: string; env?: Record<string, string>; archive?: string | undefined; told?: string[] }

const parsed = (line: string) => parseArgs({ args: line.split(' '), options: historyOptions, allowPositionals: true })

/** The command of a line such as `show JOB --json`. */
export const commandOf = <Type extends HistoryCommand['type']>(line: string): CommandOf<Type> =>
  parseHistoryCommand(parsed(line)) as CommandOf<Type>

/** The context of a command, and its answer so far. */
export function contextOf({ dataDir, env = {}, archive, told = [] }: Place): CommandContext & { printed: string[] } {
  const printed: string[] = []
  const print = (line: string): void => void printed.push(line)
  return { config: readConfig(env), dataDir, archive, print, tell: (line) => void told.push(line), printed }
}

/** Carries out a command. @returns its answer, and whether that is a good one */
export async function carriedOut(command: HistoryCommand, place: Place): Promise<{ lines: string[]; isGood: boolean }> {
  const context = contextOf(place)
  return { isGood: await carryOut(command, context), lines: context.printed }
}

/** Runs the words after `npm run history --`. */
export const run = async (line: string, place: Place): ReturnType<typeof carriedOut> =>
  carriedOut(commandOf(line), { archive: parsed(line).values.archive, ...place })

/** Appends the streams of the golden histories, without the removals, recorded now. */
export async function appendGolden(store: EventStore): Promise<StoredEvent[]> {
  const golden = readHistories().filter(({ kind }) => kind !== 'removal')
  for (const { events } of golden) {
    const again = events.map(({ type, data, metadata }) => {
      return { ...({ type, data } as DomainEvent), id: randomUUID(), metadata }
    })
    await store.append(events[0]?.stream ?? '', 'no-stream', again)
  }
  return golden.flatMap(({ events }) => events)
}

/** A job and an organization of the golden histories. */
export const JOB = '3f2504e0-4f89-41d3-9a0c-0305e82c3303'
export const ORG = '7b0c7d9e-53a1-4f0c-9d1e-2f6f0a3c1b01'

export type OpenedEvents = AsyncDisposable & { folder: string; store: EventStore; env: Record<string, string> }

/** Where events can be, each in a folder of its own: in a file, or on a server's double. */
export const eventPlaces: Record<string, () => Promise<OpenedEvents>> = {
  async 'the event file'() {
    const opening = new AsyncDisposableStack()
    const folder = opening.use(await temporaryDirectory()).path
    const store = opening.use(await openSqliteEventStore({ path: join(folder, 'events.sqlite') }))
    return { folder, store, env: {}, [Symbol.asyncDispose]: () => opening.disposeAsync() }
  },
  async EventStoreDB() {
    const opening = new AsyncDisposableStack()
    const folder = opening.use(await temporaryDirectory()).path
    const server = opening.use(await startEventStoreDouble({ path: join(folder, 'log.sqlite') }))
    const store = opening.use(openEventStoreDb(server.url))
    return { folder, store, env: { EVENT_STORE_URL: server.url }, [Symbol.asyncDispose]: () => opening.disposeAsync() }
  },
}
