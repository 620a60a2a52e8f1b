import type { Role } from '#packages/ports/accounts.ts'
import type { DashboardParts } from '../../parts.ts'

/** What an invitation leads to. `organization`: undefined where its holder makes one. */
export type Invited = {
  token: string
  /** Where it was mailed; undefined: whoever has the link may use it. */
  email: string | undefined
  organization: { orgId: string; name: string; role: Role } | undefined
}

/** Where an invitation is opened, below the dashboard. */
export const invitationPath = (token: string): string => `/invitation?${new URLSearchParams({ token })}`

/** Looks at an invitation without using it up. @throws ServiceError not_found */
export async function invitedBy(
  { members, details }: Pick<DashboardParts, 'members' | 'details'>,
  token: string,
): Promise<Invited> {
  const { email, gives } = await members.look(token)
  // Whoever is invited reads the name; an invitation without it still works.
  const name = gives === null ? '' : await details.nameOf(gives.orgId).catch(() => 'an organization')
  return { token, email: email ?? undefined, organization: gives === null ? undefined : { ...gives, name } }
}
