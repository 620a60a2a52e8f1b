import { expect } from 'chai'
import { organization } from './organization.ts'

const { decide, evolve, initialState } = organization

describe('an organization', () => {
  it('is registered once, and keeps its first name', () => {
    const [registered] = decide({ type: 'register', name: 'Acme' }, initialState)
    expect(registered).to.deep.equal({ type: 'OrganizationRegistered', data: { name: 'Acme' } })
    const event = { type: 'OrganizationRegistered', data: { name: 'Acme' }, recordedAt: 1 } as const
    const acme = evolve(initialState, event)
    expect(acme).to.deep.equal({ status: 'registered', name: 'Acme', registeredAt: 1 })
    expect(decide({ type: 'register', name: 'Other' }, acme)).to.deep.equal([])
    expect(evolve(acme, { ...event, data: { name: 'Other' } })).to.deep.equal(acme)
  })
})
