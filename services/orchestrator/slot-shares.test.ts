import { expect } from 'chai'
import { SlotShares } from './slot-shares.ts'

const slots = { fetch: 16, caption: 8, 'speech-to-text': 4, extract: 1 }

describe('the shares of slots', () => {
  it('are all slots, and half of them for one organization', () => {
    const { shares } = new SlotShares(slots)
    expect(shares).to.deep.equal({
      fetch: { outstanding: 16, perOrganization: 8 },
      caption: { outstanding: 8, perOrganization: 4 },
      'speech-to-text': { outstanding: 4, perOrganization: 2 },
      extract: { outstanding: 1, perOrganization: 1 },
    })
  })

  it("follow the workers' reports, in place, and stay if no worker is left", () => {
    const told = new SlotShares(slots)
    const { fetch } = told.shares
    told.tell({ fetch: 41, caption: 0 })
    expect(fetch).to.deep.equal({ outstanding: 41, perOrganization: 21 })
    expect(told.shares.caption).to.deep.equal({ outstanding: 8, perOrganization: 4 })
  })
})
