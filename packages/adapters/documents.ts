import {
  type Document,
  indexedFields,
  largeFields,
  type PageQuestion,
  pageIndexes,
  type Stored,
} from '#packages/ports/views.ts'

/** What a store holds of the fields of a document: a large text beside the JSON of all others. */
export type HeldFields = { json: string; large: string | null }

/** A document as a store holds it. */
export type HeldDocument = HeldFields & { position: number }

export function heldFields(collection: string, fields: Document): HeldFields {
  const field = largeFields[collection] ?? ''
  const { [field]: large, ...others } = fields
  if (typeof large !== 'string') return { json: JSON.stringify(fields), large: null }
  return { json: JSON.stringify(others), large }
}

export function storedDocument<D extends Document>(collection: string, id: string, held: HeldDocument): Stored<D> {
  const { position, json, large } = held
  const field = largeFields[collection]
  const apart = field !== undefined && large !== null ? { [field]: large } : {}
  return { ...JSON.parse(json), ...apart, id, position }
}

/** The same without its large field. */
export function listedDocument<D extends Document>(
  collection: string,
  id: string,
  { position, json }: Omit<HeldDocument, 'large'>,
): Stored<D> {
  const document = { ...JSON.parse(json), id, position }
  delete document[largeFields[collection] ?? '']
  return document
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
