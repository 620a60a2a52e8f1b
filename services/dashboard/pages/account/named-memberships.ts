import type { Account, Membership } from '#packages/ports/accounts.ts'
import type { DashboardParts } from '../../parts.ts'

export type NamedMembership = Membership & { name: string }

/** The organizations of a person, in the order of joining. It lists those too that have no readable name right now. */
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
