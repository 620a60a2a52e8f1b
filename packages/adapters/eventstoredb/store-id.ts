import { randomUUID } from 'node:crypto'
import { ErrorType } from '@eventstore/db-client'
import { RevisionConflictError } from '#packages/ports/event-store.ts'
import { appendExactly } from './append.ts'
import type { Connection } from './connection.ts'
import { typeOf } from './failures.ts'

/** A stream with one event, outside the followed streams. The id of that event is the id of the store. */
const STREAM = 'store-id'

/**
 * The first process that asks creates the store's id. The server has no id of its own that would change with a new
 * database.
 */
export async function storeIdOf(connection: Connection): Promise<string> {
  for (;;) {
    const id = await readId(connection)
    if (id !== undefined) return id
    const named = { id: randomUUID(), type: 'StoreNamed', version: 1, data: '{}', metadata: '{}' }
    await appendExactly(connection, STREAM, 'no-stream', [named]).catch((error: unknown) => {
      // Another process was first.
      if (!(error instanceof RevisionConflictError)) throw error
    })
  }
}

const readId = (connection: Connection): Promise<string | undefined> =>
  connection.ask(async (client) => {
    try {
      return (await connection.readsOf(client).read(STREAM, 0, 1))[0]?.id
    } catch (error) {
      if (typeOf(error) === ErrorType.STREAM_NOT_FOUND) return undefined
      throw error
    }
  })
