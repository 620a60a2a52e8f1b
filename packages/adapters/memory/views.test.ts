import { describeViews } from '#packages/ports/views.contract.ts'
import { describeLoss } from '#packages/ports/views-loss.contract.ts'
import { describeViewsMender } from '#packages/ports/views-mender.contract.ts'
import { describeRemovals } from '#packages/ports/views-removal.contract.ts'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { describeShards } from '#packages/ports/views-shards.contract.ts'
import { systemClock } from '../system/clock.ts'
import { MemoryDocuments } from './documents.ts'
import { MemoryViews } from './views.ts'
import { MemoryViewsMender } from './views-mender.ts'

const makeFixture = async () => {
  const documents = new MemoryDocuments()
  return {
    open: async () => new MemoryViews({ clock: systemClock, definition, documents }),
    openMender: () => new MemoryViewsMender({ definition, documents }),
    async [Symbol.asyncDispose]() {},
  }
}

describeViews('MemoryViews', makeFixture)
describeRemovals('MemoryViews', makeFixture)
describeViewsMender('MemoryViews', makeFixture)

const losable = async () => {
  const documents = new MemoryDocuments()
  return {
    open: async () => new MemoryViews({ clock: systemClock, definition, documents }),
    empty: async () => documents.empty(),
    drop: async (collection: string) => documents.drop(collection),
    async copy() {
      const copy = documents.copy()
      return async (collection?: string) => documents.putBack(copy, collection)
    },
    async [Symbol.asyncDispose]() {},
  }
}

describeLoss('MemoryViews', losable)
describeShards('MemoryViews', losable)
