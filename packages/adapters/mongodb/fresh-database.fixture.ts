import { randomUUID } from 'node:crypto'
import { MongoConnection, type MongoOptions } from './connection.ts'

/** A fresh database on the server at `url`. Disposing removes it. */
export function freshDatabase(
  url: string,
  options: Pick<MongoOptions, 'onCommand'> = {},
): { url: string; connection: MongoConnection } & AsyncDisposable {
  const own = url.replace(/^(mongodb(?:\+srv)?:\/\/[^/]+)\/?[^?]*/, `$1/test-${randomUUID()}`)
  const connection = new MongoConnection({ ...options, url: own })
  return {
    url: own,
    connection,
    async [Symbol.asyncDispose]() {
      await connection.db.dropDatabase()
      await connection[Symbol.asyncDispose]()
    },
  }
}
