import type { ViewsDefinition } from './views.ts'

/** The collections that the contract suites write to. */
export const sampleViews: ViewsDefinition = {
  version: 1,
  collections: {
    jobs: {
      largeField: 'result',
      pages: [
        { where: ['orgId', 'kind', 'listedAs'], by: 'requestedAt' },
        { where: ['orgId', 'idempotencyKeyHash', 'kind', 'listedAs'], by: 'requestedAt' },
      ],
    },
    keys: { findBy: ['listedFor'] },
    balances: {},
  },
}

export const sampleCollections = Object.keys(sampleViews.collections)
