import { type Document, indexedFields, type PageQuestion, pageIndexes, type Stored } from '#packages/ports/views.ts'

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

/** @throws RangeError no index has these fields */
export function assertPageIndex(collection: string, { where, by }: PageQuestion): void {
  const asked = Object.keys(where).join()
  const isKnown = pageIndexes[collection]?.some((index) => index.by === by && index.where.join() === asked)
  if (!isKnown) throw new RangeError(`${collection} has no pages of ${asked} by ${by}: it is not in pageIndexes`)
}
