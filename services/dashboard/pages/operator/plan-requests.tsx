/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { listedOrganization } from '#packages/accounts/organizations/list-organizations.ts'
import type { PlanRequest } from '#packages/accounts/people/plan-requests.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import type { Accounts } from '#packages/ports/accounts.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import { Time } from '../../look/parts.tsx'
import { Table } from '../../look/table.tsx'

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
      <Table
        label="Plan requests"
        caption="Requests for another plan that are not answered, newest first"
        rows={requests}
        keyOf={({ orgId }) => orgId}
        columns={{
          Organization: ({ orgId, name }) => <a href={`${root}/operator/org/${orgId}`}>{name}</a>,
          Plan: ({ plan }) => plans[plan].name,
          'Requested by': ({ email }) =>
            email === undefined ? 'a deleted account' : <a href={`mailto:${email}`}>{email}</a>,
          When: ({ at }) => <Time at={isoOf(at)} />,
        }}
      />
    </section>
  )
