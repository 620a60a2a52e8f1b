import { type Document, indexedFields, type Stored } from '#packages/ports/views.ts'

/** A document as a store holds it. */
export type HeldDocument = { position: number; json: string }

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
