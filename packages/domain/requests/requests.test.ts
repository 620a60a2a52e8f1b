import { expect } from 'chai'
import { requests } from './requests.ts'

const at = Date.UTC(2026, 10, 27, 7, 59)
const counts = { reads: { '/v1/metadata': 2 }, refused: { rate_limited: 3 } }
const countAt = (now: number) => ({ type: 'count', counts, now }) as const

describe('the requests of an organization', () => {
  it('are recorded once in an hour, and never for an earlier hour', () => {
    const [noted] = requests.decide(countAt(at), requests.initialState)
    if (noted === undefined) throw new Error('nothing is told')
    expect(noted.data).to.deep.equal({ hour: '2026-11-27T07', ...counts })
    const state = requests.evolve(requests.initialState, { ...noted, recordedAt: at })
    expect(requests.decide(countAt(at), state)).to.deep.equal([])
    expect(requests.decide(countAt(at - 3_600_000), state)).to.deep.equal([])
    expect(requests.decide(countAt(at + 60_000), state)[0]?.data.hour).to.equal('2026-11-27T08')
  })
})
