import type { ViewsDefinition } from '#packages/ports/views.ts'
import { projections } from './projections.ts'

/** The collections of the product's views, one for each projection. */
export const viewsDefinition: ViewsDefinition = {
  version: 18,
  collections: Object.fromEntries(projections.map(({ name, collection }) => [name, collection])),
}
