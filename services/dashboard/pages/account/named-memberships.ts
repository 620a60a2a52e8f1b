import type { Account, Membership } from '#packages/ports/accounts.ts'
import type { DashboardParts } from '../../parts.ts'

export type NamedMembership = Membership & { name: string }

/** The organizations of a person, the first joined first. One whose name cannot be read now is still listed. */
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
