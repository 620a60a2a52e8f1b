import type { Decider } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'

export type OrganizationEvent = DomainEvent<'OrganizationRegistered'>

export type OrganizationCommand = { type: 'register'; name: string }

/** One organization, folded from its stream. `registeredAt`: milliseconds since 1970. */
export type Organization = { status: 'none' } | { status: 'registered'; name: string; registeredAt: number }

/** An organization is registered once and keeps its first name. */
export const organization: Decider<Organization, OrganizationCommand, OrganizationEvent> = {
  eventTypes: ['OrganizationRegistered'],
  initialState: { status: 'none' },

  evolve: (state, event) =>
    state.status === 'none' ? { status: 'registered', name: event.data.name, registeredAt: event.recordedAt } : state,

  decide: ({ name }, state) => (state.status === 'none' ? [{ type: 'OrganizationRegistered', data: { name } }] : []),
}
