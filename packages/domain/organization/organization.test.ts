import { expect } from 'chai'
import { evolve, initialOrganization, register } from './organization.ts'

describe('an organization', () => {
  it('is registered once, under its first name', () => {
    const [registered] = register(initialOrganization, 'Acme')
    expect(registered).to.deep.equal({ type: 'OrganizationRegistered', data: { name: 'Acme' } })
    const event = { type: 'OrganizationRegistered', data: { name: 'Acme' }, recordedAt: 1 } as const
    const acme = evolve(initialOrganization, event)
    expect(acme).to.deep.equal({ status: 'registered', name: 'Acme', registeredAt: 1 })
    expect(register(acme, 'Other')).to.deep.equal([])
    expect(evolve(acme, { ...event, data: { name: 'Other' } })).to.deep.equal(acme)
  })
})
