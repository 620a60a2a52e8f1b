import type { Role } from '#packages/ports/accounts.ts'
import type { DashboardParts } from '../../parts.ts'

/** What an invitation is for. `organization`: undefined if the invited person creates one. */
export type Invited = {
  token: string
  /** The address that it was mailed to; undefined: anyone with the link may use it. */
  email: string | undefined
  organization: { orgId: string; name: string; role: Role } | undefined
}

/** The path that opens an invitation, below the dashboard. */
export const invitationPath = (token: string): string => `/invitation?${new URLSearchParams({ token })}`

/** Looks at an invitation without using it up. @throws ServiceError not_found */
export async function invitedBy(
  { members, details }: Pick<DashboardParts, 'members' | 'details'>,
  token: string,
): Promise<Invited> {
  const { email, gives } = await members.look(token)
  // The name is only shown. An invitation works without it.
  const name = gives === null ? '' : await details.nameOf(gives.orgId).catch(() => 'an organization')
  return { token, email: email ?? undefined, organization: gives === null ? undefined : { ...gives, name } }
}
