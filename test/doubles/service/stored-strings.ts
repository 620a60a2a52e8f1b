import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EventStoreDBClient } from '@eventstore/db-client'
import { MongoConnection } from '#packages/adapters/mongodb/connection.ts'
import type { Service } from './service.ts'

/**
 * The strings that a service still stores: in any part of any file below its data directory, in any event that its
 * server shows in `$all`, and in any document of its database. It skips Kafka, because messages contain only ids, and
 * the files of servers, because those of the doubles say nothing about the real ones.
 */
export async function stringsStored(
  { dataDir, env }: Pick<Service, 'dataDir' | 'env'>,
  wanted: readonly string[],
): Promise<string[]> {
  const { EVENT_STORE_URL: events, MONGODB_URL: documents } = env
  const found = new Set<string>()
  const look = (bytes: Buffer | string): void => {
    for (const text of wanted) if (bytes.includes(text)) found.add(text)
  }
  for await (const bytes of bytesIn(dataDir)) look(bytes)
  if (events !== undefined) for await (const event of eventsIn(events)) look(event)
  if (documents !== undefined) for await (const document of documentsIn(documents)) look(document)
  return [...found].sort()
}

async function* bytesIn(directory: string): AsyncIterable<Buffer> {
  // SQLite makes and deletes files beside its own.
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) yield await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0))
}

async function* eventsIn(url: string): AsyncIterable<string> {
  const client = EventStoreDBClient.connectionString(url)
  try {
    for await (const { event } of client.readAll())
      if (event) {
        const data = event.isJson ? event.data : Buffer.from(event.data).toString('latin1')
        yield JSON.stringify([event.streamId, event.metadata, data])
      }
  } finally {
    await client.dispose()
  }
}

async function* documentsIn(url: string): AsyncIterable<string> {
  await using connection = new MongoConnection({ url })
  const { db } = connection
  for (const { name } of await db.listCollections().toArray())
    for await (const document of db.collection(name).find()) yield JSON.stringify(document)
}
