import { MongoConnection } from '#packages/adapters/mongodb/connection.ts'
import { openMongoViews } from '#packages/adapters/mongodb/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { allShards } from '#packages/ports/shards.ts'
import { type ShardNote, shardNoteId } from '#packages/views/shard-note.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import { until } from '#test/doubles/service/until.ts'
import type { Load } from './load.ts'

/** Shards move within this time, seconds. */
const MOVED_WITHIN_SECONDS = 15

const ids = [...allShards].map(shardNoteId)

/** Waits until each shard has an owner at work after this instant. @throws Error some have none after 15 s */
export async function whenAllAreOwned(mongodbUrl: string): Promise<void> {
  const since = Date.now()
  await using connection = new MongoConnection({ url: mongodbUrl })
  await using views = openMongoViews({ connection, clock, definition })
  const areOwned = async (): Promise<boolean> => {
    const notes = await views.getNotes<ShardNote>(ids)
    return ids.every((id) => (notes.get(id)?.writtenAt ?? 0) > since)
  }
  await until('every shard has an owner again', areOwned, { seconds: MOVED_WITHIN_SECONDS, everyMs: 200 })
}

/** Waits until the views of each shard are kept: all of them have passed a key that is made now. @throws Error not so after 15 s */
export async function whenAllViewsAreKept(mongodbUrl: string, { backDoor, clients: [client] }: Load): Promise<void> {
  await using connection = new MongoConnection({ url: mongodbUrl })
  await using views = openMongoViews({ connection, clock, definition })
  const made = await client?.post('/v1/keys', { name: 'passes all shards' })
  const keyId = String(made?.body.id)
  await client?.delete(`/v1/keys/${keyId}`)
  const position = (await backDoor.store.read(`key-${keyId}`)).at(-1)?.position
  if (position === undefined) throw new Error(`no key was made: ${made?.text}`)
  if (await views.waitForApplied(position, MOVED_WITHIN_SECONDS * 1000)) return
  throw new Error('the views of some shards are not kept')
}
