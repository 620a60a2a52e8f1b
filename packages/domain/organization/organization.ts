import type { Recorded } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '../event.ts'

export type OrganizationEvent = DomainEvent<'OrganizationRegistered'>

export type Organization = { status: 'none' } | { status: 'registered'; name: string; registeredAt: number }

export const initialOrganization: Organization = { status: 'none' }

/** The organization after one more event. */
export const evolve = (organization: Organization, event: Recorded<OrganizationEvent>): Organization =>
  organization.status === 'none'
    ? { status: 'registered', name: event.data.name, registeredAt: event.recordedAt }
    : organization

/** An organization is registered once. */
export const register = (organization: Organization, name: string): OrganizationEvent[] =>
  organization.status === 'none' ? [{ type: 'OrganizationRegistered', data: { name } }] : []
