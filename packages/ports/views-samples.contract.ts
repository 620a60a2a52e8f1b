import type { AppliedTo, ViewsDefinition } from './views.ts'

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

/** A batch that is saved with its checkpoint. */
export const to = (position: number): AppliedTo => ({ position, checkpoint: position })
