import { describeViews } from '#packages/ports/views.contract.ts'
import { describeLoss } from '#packages/ports/views-loss.contract.ts'
import { describeRemovals } from '#packages/ports/views-removal.contract.ts'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { systemClock } from '../system/clock.ts'
import { emptyState } from '../views-state.ts'
import { MemoryDocuments } from './documents.ts'
import { MemoryViews } from './views.ts'

const makeFixture = async () => {
  const documents = new MemoryDocuments()
  return {
    open: async () => new MemoryViews({ clock: systemClock, definition, documents }),
    empty: async () => documents.empty(),
    async copy() {
      const copy = documents.copy()
      return async () => documents.putBack(copy)
    },
    async exchange() {
      documents.makeNew({ ...emptyState('another', Date.now() + 1), applied: 99, isReadable: true })
      documents.notes.set('theirs', '{}')
    },
    async [Symbol.asyncDispose]() {},
  }
}

describeViews('MemoryViews', makeFixture)
describeRemovals('MemoryViews', makeFixture)
describeLoss('MemoryViews', makeFixture)
