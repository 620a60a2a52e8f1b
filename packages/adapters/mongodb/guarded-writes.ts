import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError, type UpdateFilter } from 'mongodb'
import type {
  CollectionDefinition,
  Document,
  GuardedChange,
  GuardedRemoval,
  GuardedWrite,
  ViewsDefinition,
} from '#packages/ports/views.ts'
import { type HeldFields, heldFields, rangeOf } from '../documents.ts'
import { inReach } from './connection.ts'
import { isDuplicate } from './generations.ts'

/**
 * A document as it is stored. Its fields are JSON text, which preserves every name and value; the large field is
 * separate. The fields that queries use are stored a second time beside them.
 * `goneAt`: the document was removed. A tombstone stays for a day, at the position of the removal, so that a late write
 * of another process cannot restore the document.
 */
export type Held = { _id: string; position: number; goneAt?: Date } & HeldFields & Record<string, unknown>

export const isThere = ({ goneAt }: Held): boolean => goneAt === undefined

/** The new content for a document that is older than it. */
type Replacement = { id: string; position: number; held: Omit<Held, '_id' | 'position'> }

/** Applies guarded changes to one collection. @param goneAt the present time */
export async function applyGuarded(
  definition: ViewsDefinition,
  collection: Collection<Held>,
  changes: readonly GuardedChange[],
  goneAt: Date,
): Promise<void> {
  const gone = { json: '{}', large: null, goneAt }
  const replacements: Replacement[] = []
  const ranges: AnyBulkWriteOperation<Held>[] = []
  for (const change of changes) {
    const { position } = change
    if (!('removes' in change)) replacements.push({ ...change, held: heldOf(definition, change) })
    else if ('id' in change.removes) replacements.push({ id: change.removes.id, position, held: gone })
    else ranges.push(updateOfAll(definition, change, change.removes.idPrefix, gone))
  }
  await replace(collection, newestOfEach(replacements))
  // Applied last: a range removal also covers older documents that were only just inserted.
  if (ranges.length > 0) await inReach(collection.bulkWrite(ranges, { ordered: false }))
}

function heldOf(
  definition: ViewsDefinition,
  { collection, fields }: Pick<GuardedWrite, 'collection' | 'fields'>,
): Replacement['held'] {
  const indexed = indexedFieldsOf(definition.collections[collection] ?? {})
  return { ...pick(indexed, fields), ...heldFields(definition, collection, fields) }
}

function updateOfAll(
  definition: ViewsDefinition,
  { collection, position }: GuardedRemoval,
  idPrefix: string,
  gone: Replacement['held'],
): AnyBulkWriteOperation<Held> {
  const [from, to] = rangeOf(idPrefix)
  const filter = { _id: { $gte: from, $lt: to }, position: { $lt: position } }
  const indexed = indexedFieldsOf(definition.collections[collection] ?? {}).map((field) => [field, ''])
  const update = { $set: { position, ...gone }, ...(indexed.length > 0 && { $unset: Object.fromEntries(indexed) }) }
  return { updateMany: { filter, update: update as UpdateFilter<Held> } }
}

/**
 * The newest of several replacements of one document, which contains the result of all. A bulk write has each document
 * once.
 */
function newestOfEach(replacements: readonly Replacement[]): Replacement[] {
  const newest = new Map<string, Replacement>()
  for (const one of replacements) {
    const other = newest.get(one.id)
    if (other === undefined || other.position < one.position) newest.set(one.id, one)
  }
  return [...newest.values()]
}

async function replace(collection: Collection<Held>, replacements: readonly Replacement[]): Promise<void> {
  if (replacements.length === 0) return
  const operations = replacements.map(({ id, position, held }): AnyBulkWriteOperation<Held> => {
    const filter = { _id: id, position: { $lt: position } }
    // The filter gives the replacement its id.
    return { replaceOne: { filter, replacement: { position, ...held } as Held, upsert: true } }
  })
  try {
    await inReach(collection.bulkWrite(operations, { ordered: false }))
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
  }
}

/** The fields that a collection is searched or ordered by, without repeats. */
const indexedFieldsOf = ({ findBy = [], pages = [] }: CollectionDefinition): string[] => [
  ...new Set([...findBy, ...pages.flatMap(({ where, by }) => [...where, by])]),
]

/** The named fields that the document has. */
const pick = (names: readonly string[], fields: Document): Document =>
  Object.fromEntries(names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]))

/**
 * Whether all errors are duplicates. A guarded upsert of a document that is already at a newer position tries to insert
 * it again and gets E11000. That write is not needed. The rest of the bulk has been applied.
 */
function onlyDuplicates(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) return false
  const errors = [error.writeErrors].flat()
  return errors.length > 0 && errors.every(isDuplicate)
}

/** Repeats an upsert that collided with another first upsert of the same document: by then the document exists. */
export async function withoutRace(write: () => Promise<unknown>): Promise<void> {
  await inReach(write()).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error
    return inReach(write())
  })
}
