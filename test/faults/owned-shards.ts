import { MongoConnection } from '#packages/adapters/mongodb/connection.ts'
import { openMongoViews } from '#packages/adapters/mongodb/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { allShards } from '#packages/ports/shards.ts'
import { type ShardNote, shardNoteId } from '#packages/views/shard-note.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import { until } from '#test/doubles/service/until.ts'

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
