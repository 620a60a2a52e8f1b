import { type Document, type GuardedWrite, indexedFields, type Stored } from '#packages/ports/views.ts'

/** A document as a store holds it. */
export type HeldDocument = { position: number; json: string }
export type ChangedDocument = HeldDocument & { collection: string; id: string }

type Open = { collection: string; id: string; position: number; fields: Document; changed: boolean }

/** Applies writes, in order and guarded by position, to the documents they concern; gives those that changed. */
export function applyWrites(
  writes: readonly GuardedWrite[],
  held: (collection: string, id: string) => HeldDocument | undefined,
): ChangedDocument[] {
  const open = new Map<string, Open>()
  for (const { collection, id, position, set } of writes) {
    const key = documentKey(collection, id)
    const document = open.get(key) ?? opened(collection, id, held(collection, id))
    open.set(key, document)
    if (document.position >= position) continue
    Object.assign(document.fields, set)
    document.position = position
    document.changed = true
  }
  return [...open.values()]
    .filter((document) => document.changed)
    .map(({ collection, id, position, fields }) => ({ collection, id, position, json: JSON.stringify(fields) }))
}

function opened(collection: string, id: string, held: HeldDocument | undefined): Open {
  const fields: Document = held === undefined ? {} : JSON.parse(held.json)
  return { collection, id, position: held?.position ?? 0, fields, changed: false }
}

export function storedDocument<D extends Document>(id: string, held: HeldDocument): Stored<D> {
  return { ...JSON.parse(held.json), id, position: held.position }
}

export const documentKey = (collection: string, id: string): string => `document ${collection} ${id}`
export const checkpointKey = (projection: string): string => `checkpoint ${projection}`

/** @throws RangeError there is no index of this field */
export function assertIndexed(collection: string, field: string): void {
  if (indexedFields[collection]?.includes(field)) return
  throw new RangeError(`${collection} cannot be searched by ${field}: it is not in indexedFields`)
}
