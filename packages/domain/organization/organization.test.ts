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

  it('is renamed only after registration, and only to another name', () => {
    expect(decide({ type: 'rename', name: 'Acme' }, initialState)).to.deep.equal([])
    const acme = { status: 'registered', name: 'Acme', registeredAt: 1 } as const
    expect(decide({ type: 'rename', name: 'Acme' }, acme)).to.deep.equal([])
    const renamed = { type: 'OrganizationRenamed', data: { name: 'Acme & Co' } } as const
    expect(decide({ type: 'rename', name: 'Acme & Co' }, acme)).to.deep.equal([renamed])
    expect(evolve(acme, { ...renamed, recordedAt: 2 })).to.deep.equal({ ...acme, name: 'Acme & Co' })
    expect(evolve(initialState, { ...renamed, recordedAt: 2 })).to.deep.equal(initialState)
  })
})
