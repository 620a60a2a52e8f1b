import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError } from 'mongodb'
import type { CollectionDefinition, Document, GuardedWrite, ViewsDefinition } from '#packages/ports/views.ts'
import { type HeldFields, heldFields } from '../documents.ts'
import { inReach } from './connection.ts'
import { isDuplicate } from './generations.ts'

/**
 * A document as it lies in its collection. Its fields are JSON text, so that every value and every name comes back as
 * it was written, one that may be large apart from the others; those that it can be found by stand beside it once more.
 */
export type Held = { _id: string; position: number } & HeldFields & Record<string, unknown>

/** Of several writes to one document the one that leaves it as all of them would: one bulk has each document once. */
export function newestOfEach(writes: readonly GuardedWrite[]): GuardedWrite[] {
  const newest = new Map<string, GuardedWrite>()
  for (const write of writes) {
    const key = `${write.collection} ${write.id}`
    const other = newest.get(key)
    if (other === undefined || other.position < write.position) newest.set(key, write)
  }
  return [...newest.values()]
}

export async function writeGuarded(
  definition: ViewsDefinition,
  collection: Collection<Held>,
  writes: readonly GuardedWrite[],
): Promise<void> {
  const operations = writes.map((write): AnyBulkWriteOperation<Held> => {
    const { id, position, fields } = write
    const filter = { _id: id, position: { $lt: position } }
    return { replaceOne: { filter, replacement: heldOf(definition, write, fields) as Held, upsert: true } }
  })
  try {
    await inReach(collection.bulkWrite(operations, { ordered: false }))
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
  }
}

/** Fields that a collection is searched or ordered by, each once. */
const indexedFieldsOf = ({ findBy = [], pages = [] }: CollectionDefinition): Set<string> =>
  new Set([...findBy, ...pages.flatMap(({ where, by }) => [...where, by])])

/** Without its id, which the filter tells. */
function heldOf(
  definition: ViewsDefinition,
  { collection, position }: GuardedWrite,
  fields: Document,
): Omit<Held, '_id'> {
  const indexed = indexedFieldsOf(definition.collections[collection] ?? {})
  const found = [...indexed].filter((field) => fields[field] !== undefined)
  const beside = Object.fromEntries(found.map((field) => [field, fields[field]]))
  return { ...beside, position, ...heldFields(definition, collection, fields) }
}

/**
 * A guarded upsert of a document that is there, and further, tries to insert it a second time: it was applied already.
 * The others of the bulk have been applied all the same.
 */
function onlyDuplicates(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return false
  const errors = [error.writeErrors].flat()
  return errors.length > 0 && errors.every(isDuplicate)
}

/** Two who upsert the same for the first time: the later one finds it there when it tries again. */
export async function withoutRace(write: () => Promise<unknown>): Promise<void> {
  await inReach(write()).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error
    return inReach(write())
  })
}
