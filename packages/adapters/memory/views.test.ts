import { expect } from 'chai'
import { describeViews } from '#packages/ports/views.contract.ts'
import { viewsProblem } from '#packages/ports/views.ts'
import { describeLoss } from '#packages/ports/views-loss.contract.ts'
import { describeRemovals } from '#packages/ports/views-removal.contract.ts'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { systemClock } from '../system/clock.ts'
import { MemoryDocuments } from './documents.ts'
import { MemoryViews } from './views.ts'

const makeFixture = async () => {
  const documents = new MemoryDocuments()
  return {
    open: async () => new MemoryViews({ clock: systemClock, definition, documents }),
    async [Symbol.asyncDispose]() {},
  }
}

describeViews('MemoryViews', makeFixture)
describeRemovals('MemoryViews', makeFixture)

describeLoss('MemoryViews', async () => {
  const documents = new MemoryDocuments()
  return {
    open: async () => new MemoryViews({ clock: systemClock, definition, documents }),
    empty: async () => documents.empty(),
    drop: async (collection) => documents.drop(collection),
    async copy() {
      const copy = documents.copy()
      return async (collection) => documents.putBack(copy, collection)
    },
    async [Symbol.asyncDispose]() {},
  }
})

describe('MemoryViews that are put back to a copy from before they were made anew', () => {
  it('are set aside by the first who has seen newer ones: nobody reads them', async () => {
    const documents = new MemoryDocuments()
    const [writer, reader] = [1, 2].map(() => new MemoryViews({ clock: systemClock, definition, documents })) as [
      MemoryViews,
      MemoryViews,
    ]
    const make = async (): Promise<void> => {
      await writer.begin(['keys'])
      await writer.apply(['keys'], [{ collection: 'keys', id: 'a', position: 1, fields: {} }], 1)
      await writer.makeReadable()
    }
    await make()
    const copy = documents.copy()
    documents.drop('keys')
    await make()
    expect(await reader.get('keys', 'a')).to.include({ position: 1 })
    documents.putBack(copy)
    expect(await reader.problem()).to.equal(viewsProblem)
    await make()
    expect(await reader.problem()).to.equal(undefined)
  })
})
