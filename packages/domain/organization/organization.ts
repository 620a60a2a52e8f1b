import type { Decider } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'

export type OrganizationEvent = DomainEvent<'OrganizationRegistered' | 'OrganizationRenamed'>

export type OrganizationCommand = { type: 'register' | 'rename'; name: string }

/** One organization, folded from its stream. `registeredAt`: milliseconds since 1970. */
export type Organization = { status: 'none' } | { status: 'registered'; name: string; registeredAt: number }

/** An organization is registered once; later it may be renamed. */
export const organization: Decider<Organization, OrganizationCommand, OrganizationEvent> = {
  eventTypes: ['OrganizationRegistered', 'OrganizationRenamed'],
  initialState: { status: 'none' },

  evolve(state, { type, data, recordedAt }) {
    if (type === 'OrganizationRenamed') return state.status === 'none' ? state : { ...state, name: data.name }
    return state.status === 'none' ? { status: 'registered', name: data.name, registeredAt: recordedAt } : state
  },

  decide({ type, name }, state) {
    if (type === 'register') return state.status === 'none' ? [{ type: 'OrganizationRegistered', data: { name } }] : []
    return state.status === 'none' || state.name === name ? [] : [{ type: 'OrganizationRenamed', data: { name } }]
  },
}
