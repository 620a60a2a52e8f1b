import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { SealedEntries, SealedEntry } from './sealed-entries.ts'

/** Checks the promises of SealedEntries. @param opened the same entries, twice, as in two processes */
export function describeSealedEntries(opened: () => { accounts: SealedEntries; other: SealedEntries }): void {
  const entry = (fields: Partial<SealedEntry> = {}): SealedEntry => ({
    id: randomUUID(),
    orgId: randomUUID(),
    sealed: randomUUID(),
    ...fields,
  })

  describe('a sealed entry', () => {
    it('is seen by every process as it was last put', async () => {
      const { accounts, other } = opened()
      const first = entry()
      expect(await accounts.putSealed(first, undefined)).to.equal(true)
      expect(await other.sealed(first.id)).to.deep.equal(first)
      const second = { ...first, sealed: 'another' }
      expect(await other.putSealed(second, first.sealed)).to.equal(true)
      expect(await accounts.sealed(first.id)).to.deep.equal(second)
      expect(await accounts.sealed(randomUUID())).to.equal(undefined)
    })

    it('is put only if it still holds what the writer has seen', async () => {
      const { accounts, other } = opened()
      const first = entry()
      expect(await accounts.putSealed(first, 'another')).to.equal(false)
      expect(await accounts.sealed(first.id)).to.equal(undefined)
      await accounts.putSealed(first, undefined)
      const second = { ...first, sealed: 'another' }
      expect(await other.putSealed(second, undefined)).to.equal(false)
      expect(await other.putSealed(second, 'yet another')).to.equal(false)
      expect(await accounts.sealed(first.id)).to.deep.equal(first)
    })

    it('is removed only while it holds what the writer has seen, if that is given', async () => {
      const { accounts, other } = opened()
      const first = entry()
      await accounts.putSealed(first, undefined)
      await other.removeSealed(first.id, 'another')
      expect(await accounts.sealed(first.id)).to.deep.equal(first)
      await other.removeSealed(first.id, first.sealed)
      expect(await accounts.sealed(first.id)).to.equal(undefined)
    })

    it('is gone once it or all of its organization’s entries are removed, and others stay', async () => {
      const { accounts, other } = opened()
      const orgId = randomUUID()
      const [one, two, three] = [entry({ orgId }), entry({ orgId }), entry({ orgId })]
      const stranger = entry()
      for (const each of [one, two, three, stranger]) await accounts.putSealed(each, undefined)
      await accounts.removeSealed(one.id)
      expect(await other.sealed(one.id)).to.equal(undefined)
      expect(await other.sealed(two.id)).to.deep.equal(two)
      await other.removeSealedOf(orgId)
      await other.removeSealed(one.id)
      for (const each of [two, three]) expect(await accounts.sealed(each.id)).to.equal(undefined)
      expect(await accounts.sealed(stranger.id)).to.deep.equal(stranger)
    })
  })
}
