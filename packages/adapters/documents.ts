import type { Document, PageQuestion, Stored, ViewsDefinition } from '#packages/ports/views.ts'

/** The fields of a document as a store holds them: the JSON without the large field, and the large field. */
export type HeldFields = { json: string; large: string | null }

/** A document as a store holds it. */
export type HeldDocument = HeldFields & { position: number }

export function heldFields({ collections }: ViewsDefinition, collection: string, fields: Document): HeldFields {
  const field = collections[collection]?.largeField ?? ''
  const { [field]: large, ...others } = fields
  if (typeof large !== 'string') return { json: JSON.stringify(fields), large: null }
  return { json: JSON.stringify(others), large }
}

export function storedDocument<D extends Document>(
  { collections }: ViewsDefinition,
  collection: string,
  id: string,
  held: HeldDocument,
): Stored<D> {
  const { position, json, large } = held
  const field = collections[collection]?.largeField
  const apart = field !== undefined && large !== null ? { [field]: large } : {}
  return { ...JSON.parse(json), ...apart, id, position }
}

/** The same document without its large field. */
export function listedDocument<D extends Document>(
  { collections }: ViewsDefinition,
  collection: string,
  id: string,
  { position, json }: Omit<HeldDocument, 'large'>,
): Stored<D> {
  const document = { ...JSON.parse(json), id, position }
  delete document[collections[collection]?.largeField ?? '']
  return document
}

/** Bounds of all ids that begin with the prefix: the first is included, the second is not. */
export const rangeOf = (idPrefix: string): [from: string, to: string] => [idPrefix, `${idPrefix}\u{10ffff}`]

export const documentKey = (collection: string, id: string): string => `document ${collection} ${id}`
/** The key of the state of the views. */
export const stateKey = 'state'

/** @throws RangeError this field has no index */
export function assertIndexed({ collections }: ViewsDefinition, collection: string, field: string): void {
  if (collections[collection]?.findBy?.includes(field)) return
  throw new RangeError(`the collection ${collection} has no index of ${field}`)
}

/** @throws RangeError no index has these fields */
export function assertPageIndex({ collections }: ViewsDefinition, collection: string, question: PageQuestion): void {
  const { where, by } = question
  const asked = Object.keys(where).join()
  const isKnown = collections[collection]?.pages?.some((index) => index.by === by && index.where.join() === asked)
  if (!isKnown) throw new RangeError(`the collection ${collection} has no index for pages of ${asked} by ${by}`)
}
