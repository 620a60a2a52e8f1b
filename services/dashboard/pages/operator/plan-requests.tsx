/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { listedOrganization } from '#packages/accounts/organizations/list-organizations.ts'
import type { PlanRequest } from '#packages/accounts/people/plan-requests.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import type { Accounts } from '#packages/ports/accounts.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import { Scroll, TableHead, Time } from '../../look/parts.tsx'

/** A request for a plan, with the name of the organization; `email`: undefined if the requester's account is gone. */
export type NamedRequest = PlanRequest & { name: string; email: string | undefined }

/** Without requests of closed organizations. */
export const withNames = async (
  { views, accounts }: { views: Views; accounts: Pick<Accounts, 'get'> },
  requests: readonly PlanRequest[],
): Promise<NamedRequest[]> => {
  const named = await Promise.all(
    requests.map(async (request) => {
      const [organization, account] = await Promise.all([
        listedOrganization(views, request.orgId),
        accounts.get(request.accountId),
      ])
      return organization === undefined ? [] : [{ ...request, name: organization.name, email: account?.email }]
    }),
  )
  return named.flat()
}

/** Empty if there are no requests. Changing the plan removes a request from the list. */
export const PlanRequestsView = ({
  root,
  requests,
}: {
  root: string
  requests: readonly NamedRequest[]
}): VNode | null =>
  requests.length === 0 ? null : (
    <section>
      <h2>Plan requests</h2>
      <Scroll label="Plan requests">
        <table class="stacked">
          <caption class="hidden">Requests for another plan that are not answered, newest first</caption>
          <TableHead columns={['Organization', 'Plan', 'Requested by', 'When']} />
          <tbody>
            {requests.map(({ orgId, plan, at, name, email }) => (
              <tr key={orgId}>
                <td data-label="Organization">
                  <a href={`${root}/operator/org/${orgId}`}>{name}</a>
                </td>
                <td data-label="Plan">{plans[plan].name}</td>
                <td data-label="Requested by">
                  {email === undefined ? 'a deleted account' : <a href={`mailto:${email}`}>{email}</a>}
                </td>
                <td data-label="When">
                  <Time at={isoOf(at)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
