import type { Account, Membership } from '#packages/ports/accounts.ts'
import type { DashboardParts } from '../../parts.ts'

export type NamedMembership = Membership & { name: string }

/** A person's organizations, in the order of joining. If a name cannot be read right now, the id replaces it. */
export const namedMemberships = (
  details: DashboardParts['details'],
  { memberships }: Account,
): Promise<NamedMembership[]> =>
  Promise.all(
    memberships.map(async (membership) => ({
      ...membership,
      name: await details.nameOf(membership.orgId).catch(() => membership.orgId),
    })),
  )
