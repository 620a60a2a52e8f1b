import { describeViews } from '#packages/ports/views.contract.ts'
import { systemClock } from '../system/clock.ts'
import { MemoryDocuments, MemoryViews } from './views.ts'

describeViews('MemoryViews', async () => {
  const documents = new MemoryDocuments()
  return {
    open: async () => new MemoryViews({ clock: systemClock, documents }),
    async [Symbol.asyncDispose]() {},
  }
})
