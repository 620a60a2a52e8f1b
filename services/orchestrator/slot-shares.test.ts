import { expect } from 'chai'
import { SlotShares } from './slot-shares.ts'

const slots = { fetch: 16, caption: 8, 'speech-to-text': 4, extract: 1 }

describe('the share of an owner of shards', () => {
  it('is all slots for the owner of all, and half of them for one organization', () => {
    const { shares } = new SlotShares(slots)
    expect(shares).to.deep.equal({
      fetch: { outstanding: 16, perOrganization: 8 },
      caption: { outstanding: 8, perOrganization: 4 },
      'speech-to-text': { outstanding: 4, perOrganization: 2 },
      extract: { outstanding: 1, perOrganization: 1 },
    })
  })

  it('is its part of the slots that workers tell, at least one, and half of them all for one organization', () => {
    const told = new SlotShares(slots)
    told.own(16)
    const { shares } = told
    expect(shares.fetch).to.deep.equal({ outstanding: 4, perOrganization: 8 })
    expect(shares.extract).to.deep.equal({ outstanding: 1, perOrganization: 1 })
    told.tell({ fetch: 40, extract: 9 })
    expect(shares.fetch).to.deep.equal({ outstanding: 10, perOrganization: 20 })
    expect(shares.caption, 'nobody knows').to.deep.equal({ outstanding: 2, perOrganization: 4 })
    expect(shares.extract).to.deep.equal({ outstanding: 3, perOrganization: 5 })
    told.own(64)
    expect(shares.fetch).to.deep.equal({ outstanding: 40, perOrganization: 20 })
  })

  it('stays while no worker is there', () => {
    const told = new SlotShares(slots)
    told.tell({ fetch: 0 })
    expect(told.shares.fetch).to.deep.equal({ outstanding: 16, perOrganization: 8 })
  })
})
