/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { ListedOrganization } from '#packages/accounts/organizations/list-organizations.ts'
import { listedOrganization, listOrganizations } from '#packages/accounts/organizations/list-organizations.ts'
import type { Accounts } from '#packages/ports/accounts.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import { Missing, type OrMissing } from '../../look/missing.tsx'
import { Empty, Field, formatNumber, Time } from '../../look/parts.tsx'
import { Table } from '../../look/table.tsx'
import { OperatorFrame } from './operator-frame.tsx'
import { type NamedRequest, PlanRequestsView } from './plan-requests.tsx'

const ON_A_PAGE = 25

/** `members`: the number of members. */
export type Row = ListedOrganization & { members: number }
export type Found = { rows: Row[]; nextCursor: string | null }

type Ports = { views: Views; accounts: Accounts }

/**
 * Organizations by name or id; all of them without a search.
 * @throws ServiceError invalid_request for an invalid cursor
 */
export async function findOrganizations(
  ports: Ports,
  { search, cursor }: { search: string; cursor: string | undefined },
): Promise<Found> {
  const { organizations, nextCursor } = await listOrganizations(ports.views, { search, cursor, limit: ON_A_PAGE })
  return { rows: await rowsOf(ports, organizations), nextCursor }
}

/** The organizations of the person with this e-mail address. */
export async function findOfMember(ports: Ports, email: string): Promise<Found> {
  const { memberships = [] } = (await ports.accounts.byEmail(email)) ?? {}
  const found = await Promise.all(memberships.map(({ orgId }) => listedOrganization(ports.views, orgId)))
  const organizations = found.filter((one) => one !== undefined)
  return { rows: await rowsOf(ports, organizations), nextCursor: null }
}

async function rowsOf({ accounts }: Ports, organizations: readonly ListedOrganization[]): Promise<Row[]> {
  const members = await Promise.all(organizations.map(({ orgId }) => accounts.membersOf(orgId)))
  return organizations.map((one, at) => ({ ...one, members: members[at]?.length ?? 0 }))
}

type Parts = { root: string; search: string; found: OrMissing<Found>; requests: readonly NamedRequest[] }

export const OrganizationsPage = ({ root, search, found, requests }: Parts): VNode => (
  <OperatorFrame root={root} current="organizations" title="Organizations">
    <PlanRequestsView root={root} requests={requests} />
    <form method="post" action={`${root}/operator`} class="search">
      <Field
        name="q"
        label="Name, id or e-mail"
        hint="Part of an organization’s name or id, or the full address of a member."
        type="search"
        value={search}
        maxLength={254}
      />
      <div class="row">
        <button type="submit">Search</button>
        {search !== '' && <a href={`${root}/operator`}>Show all</a>}
      </div>
    </form>
    {found.missing ? <Missing what="The organizations" /> : <List root={root} search={search} found={found.value} />}
  </OperatorFrame>
)

const List = ({ root, search, found }: { root: string; search: string; found: Found }): VNode => (
  <>
    {found.rows.length === 0 ? (
      <Nothing search={search} isMore={found.nextCursor !== null} />
    ) : (
      <Rows root={root} rows={found.rows} />
    )}
    {found.nextCursor !== null && (
      <p>
        <a class="button" href={`${root}/operator?${new URLSearchParams({ q: search, cursor: found.nextCursor })}`}>
          {search === '' ? 'Older' : 'Search older'}
        </a>
      </p>
    )}
  </>
)

const Nothing = ({ search, isMore }: { search: string; isMore: boolean }): VNode => (
  <Empty title={search === '' ? 'No organizations yet' : 'No results'}>
    <p>
      {search === '' && 'Create one by signing up, or with npm run org -- create NAME.'}
      {search !== '' && (isMore ? 'No match so far.' : 'Check the spelling, or search for less.')}
    </p>
  </Empty>
)

const Rows = ({ root, rows }: { root: string; rows: readonly Row[] }): VNode => (
  <Table
    label="Organizations"
    caption="Organizations, the newest first. Balances are without a renewal that is due."
    rows={rows}
    keyOf={({ orgId }) => orgId}
    numbers={['Credits', 'Members']}
    columns={{
      Name: ({ orgId, name }) => (
        <span>
          <a href={`${root}/operator/org/${orgId}`}>{name}</a>
          <br />
          <code class="quiet small">{orgId}</code>
        </span>
      ),
      Plan: ({ plan }) => plan,
      Credits: ({ balance }) => formatNumber(balance),
      Members: ({ members }) => formatNumber(members),
      'Last activity': ({ changedAt }) => <Time at={isoOf(changedAt)} />,
      Registered: ({ registeredAt }) => <Time at={isoOf(registeredAt)} />,
    }}
  />
)
