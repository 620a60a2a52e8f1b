import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError } from 'mongodb'
import type { CollectionDefinition, Document, GuardedWrite, ViewsDefinition } from '#packages/ports/views.ts'
import { type HeldFields, heldFields } from '../documents.ts'
import { inReach } from './connection.ts'
import { isDuplicate } from './generations.ts'

/**
 * A document as it is stored. Its fields are JSON text, so that every name and value is read as it was written; the
 * large field is apart. Fields by which the document can be found are stored a second time beside them.
 */
export type Held = { _id: string; position: number } & HeldFields & Record<string, unknown>

/** The newest of several writes to the same document, which has the result of all: one bulk has each document once. */
export function newestOfEach(writes: readonly GuardedWrite[]): GuardedWrite[] {
  const newest = new Map<string, GuardedWrite>()
  for (const write of writes) {
    const key = `${write.collection} ${write.id}`
    const other = newest.get(key)
    if (other === undefined || other.position < write.position) newest.set(key, write)
  }
  return [...newest.values()]
}

/** Applies guarded writes to one collection. Each document may be among them only once. */
export async function writeGuarded(
  definition: ViewsDefinition,
  collection: Collection<Held>,
  writes: readonly GuardedWrite[],
): Promise<void> {
  const name = writes[0]?.collection
  if (name === undefined) return
  const indexed = indexedFieldsOf(definition.collections[name] ?? {})
  const operations = writes.map(({ id, position, fields }): AnyBulkWriteOperation<Held> => {
    const filter = { _id: id, position: { $lt: position } }
    // The filter gives the replacement its id.
    const replacement = { ...pick(indexed, fields), position, ...heldFields(definition, name, fields) } as Held
    return { replaceOne: { filter, replacement, upsert: true } }
  })
  try {
    await inReach(collection.bulkWrite(operations, { ordered: false }))
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
  }
}

/** Fields that a collection is searched or ordered by, each once. */
const indexedFieldsOf = ({ findBy = [], pages = [] }: CollectionDefinition): string[] => [
  ...new Set([...findBy, ...pages.flatMap(({ where, by }) => [...where, by])]),
]

/** Those of the named fields that the document has. */
const pick = (names: readonly string[], fields: Document): Document =>
  Object.fromEntries(names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]))

/**
 * Whether all errors are duplicates. A guarded upsert of a document that is already at a newer position tries to insert
 * it again and gets E11000: the write is not needed. The rest of the bulk has been applied.
 */
function onlyDuplicates(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return false
  const errors = [error.writeErrors].flat()
  return errors.length > 0 && errors.every(isDuplicate)
}

/** Repeats an upsert that met another first upsert of the same document: the second time the document is there. */
export async function withoutRace(write: () => Promise<unknown>): Promise<void> {
  await inReach(write()).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error
    return inReach(write())
  })
}
