/** @jsxRuntime automatic @jsxImportSource preact */

import { listTransactions } from '#packages/accounts/ledger/list-transactions.ts'
import { listedOrganization } from '#packages/accounts/organizations/list-organizations.ts'
import { AUDITS_OF_A_PAGE } from '#packages/accounts/people/operators.ts'
import { organization } from '#packages/domain/organization/organization.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import { type OrMissing, orMissing } from '../../look/missing.tsx'
import { formatNumber } from '../../look/parts.tsx'
import { onceIn } from '../../once.ts'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import {
  type Flash,
  type Page,
  type PersonPageContext,
  page,
  type Redirect,
  type Route,
  redirect,
} from '../../route.ts'
import { planIn } from '../plan-in.ts'
import { refusalOf, refusedIn } from '../submitted.ts'
import { AuditPage, emailsOf } from './audit-page.tsx'
import { type OrganizationFacts, OrganizationPage } from './organization-page.tsx'
import { type Found, findOfMember, findOrganizations, OrganizationsPage } from './organizations-page.tsx'
import { type NamedRequest, withNames } from './plan-requests.tsx'
import { PlatformsPage } from './platforms-page.tsx'

export type OperatorParts = Pick<
  DashboardParts,
  | 'operators'
  | 'planRequests'
  | 'members'
  | 'accounts'
  | 'store'
  | 'views'
  | 'details'
  | 'ownKeys'
  | 'readiness'
  | 'platforms'
  | 'ids'
>
type Options = Pick<PageOptions, 'root'>

const section = 'operator'
const MAX_GRANT = 1_000_000_000
const MAX_REASON = 200
const LEDGER_LINES = 20
const AUDITS_SHOWN = 10

/** The operators' pages. They show balances, plans and people, but nothing from jobs. */
export const operatorRoutes = (parts: OperatorParts, { root }: Options): Route[] => [
  {
    path: '/operator',
    access: 'operator',
    async get({ query, flash }) {
      const { search: email } = flash
      if (email !== undefined) return found(root, email, await orMissing(() => findOfMember(parts, email)))
      const search = (query.get('q') ?? '').trim()
      const cursor = query.get('cursor') ?? undefined
      const organizations = await orMissing(() => findOrganizations(parts, { search, cursor }))
      const isFirst = search === '' && cursor === undefined
      const requests = isFirst
        ? await orMissing(async () => withNames(parts, await parts.planRequests.allOpen()))
        : undefined
      return found(root, search, organizations, requests === undefined || requests.missing ? [] : requests.value)
    },
    // A person's address never appears in a URL, because proxies log URLs.
    async post({ form }) {
      const search = (form.get('q') ?? '').trim()
      if (search.includes('@')) return redirect('/operator', { flash: { search } })
      return redirect(`/operator${search && `?${new URLSearchParams({ q: search })}`}`)
    },
  },
  {
    path: '/operator/platforms',
    access: 'operator',
    async get() {
      const { readiness, platforms } = parts
      const problems = await readiness.problems()
      const { lastAnswers: dependencies, warnings } = readiness
      const health = { problems, warnings, dependencies, standing: platforms.standing() }
      return page({ title: 'Platforms', section, main: <PlatformsPage root={root} health={health} /> })
    },
  },
  {
    path: '/operator/audit',
    access: 'operator',
    get: (context) => auditPage(parts, root, context),
  },
  {
    path: '/operator/org/:orgId',
    access: 'operator',
    async get(context) {
      const facts = await factsOf(parts, context)
      return shown(parts, root, facts, context.flash)
    },
  },
  {
    path: '/operator/org/:orgId/credits',
    access: 'operator',
    post: (context) =>
      acted(parts, context, async ({ visitor, params: { orgId = '' }, form }) => {
        await parts.operators.grant(visitor.account, orgId, grantOf(form, parts.ids))
        return redirect(`/operator/org/${orgId}`, { notice: 'credits-granted' })
      }),
  },
  {
    path: '/operator/org/:orgId/plan',
    access: 'operator',
    post: (context) =>
      acted(parts, context, async ({ visitor, params: { orgId = '' }, form }) => {
        await parts.operators.changePlan(visitor.account, orgId, planIn(form))
        return redirect(`/operator/org/${orgId}`, { notice: 'plan-changed' })
      }),
  },
]

const found = (
  root: string,
  search: string,
  organizations: OrMissing<Found>,
  requests: readonly NamedRequest[] = [],
): Page =>
  page({
    title: 'Organizations',
    section,
    main: <OrganizationsPage root={root} search={search} found={organizations} requests={requests} />,
  })

/** Carries out a form, or redirects to the organization's page with the problems. */
async function acted(
  parts: OperatorParts,
  context: PersonPageContext,
  act: (context: PersonPageContext) => Promise<Redirect>,
): Promise<Redirect> {
  const { orgId = '' } = context.params
  await registered(parts, orgId)
  try {
    return await act(context)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return redirect(`/operator/org/${orgId}`, { flash: { refusal: refusalOf(error), typed: [...context.form] } })
  }
}

/** @throws ServiceError invalid_request */
function grantOf(form: URLSearchParams, ids: Ids): { id: string; credits: number; reason: string } {
  const credits = Number(form.get('credits') ?? '')
  const reason = (form.get('reason') ?? '').trim()
  const problems = [
    ...(Number.isInteger(credits) && credits >= 1 && credits <= MAX_GRANT
      ? []
      : [{ path: 'credits', message: `must be a whole number from 1 to ${formatNumber(MAX_GRANT)}` }]),
    ...(reason.length >= 1 && reason.length <= MAX_REASON
      ? []
      : [{ path: 'reason', message: `must have 1 to ${MAX_REASON} characters` }]),
  ]
  if (problems.length > 0) throw invalidRequest(...problems)
  return { id: onceIn(form) ?? ids.uuid(), credits, reason }
}

function shown({ ids }: OperatorParts, root: string, facts: OrganizationFacts, flash: Flash): Page {
  const { status, problems, typed: form } = refusedIn(flash)
  return page({
    title: facts.name,
    section,
    status,
    main: <OrganizationPage root={root} facts={facts} once={ids.uuid()} form={form} problems={problems} />,
  })
}

/** The organization. @throws ServiceError not_found if it does not exist */
async function registered({ store }: OperatorParts, orgId: string) {
  const known = fold(organization, await store.read(streams.organization(orgId)))
  if (known.status === 'none') throw new ServiceError('not_found', 'There is no such organization.')
  return known
}

/** @throws ServiceError not_found */
async function factsOf(parts: OperatorParts, { visitor, params }: PersonPageContext): Promise<OrganizationFacts> {
  const { orgId = '' } = params
  const { store, details, ownKeys, members, operators, accounts } = parts
  const [{ name, registeredAt }, credits, keys, lines, people, audits] = await Promise.all([
    registered(parts, orgId),
    orMissing(() => details.credits(orgId)),
    orMissing(async () => (await ownKeys.list(orgId)).length),
    orMissing(
      async () => (await listTransactions(store, orgId, { cursor: undefined, limit: LEDGER_LINES })).transactions,
    ),
    members.of(orgId),
    operators.audits(visitor.account, { orgId }),
  ])
  const emails = await emailsOf(accounts, audits)
  const recent = audits.slice(0, AUDITS_SHOWN)
  return {
    orgId,
    name,
    registeredAt: isoOf(registeredAt),
    credits,
    keys,
    lines,
    members: people,
    audits: recent,
    emails,
  }
}

async function auditPage(
  { operators, accounts, views }: OperatorParts,
  root: string,
  { visitor, query }: PersonPageContext,
) {
  const before = Number(query.get('before') ?? Number.NaN)
  const audits = await operators.audits(visitor.account, Number.isSafeInteger(before) ? { before } : {})
  const orgIds = [...new Set(audits.flatMap(({ orgId }) => (orgId === null ? [] : [orgId])))]
  const [emails, listed] = await Promise.all([
    emailsOf(accounts, audits),
    orMissing(() => Promise.all(orgIds.map((orgId) => listedOrganization(views, orgId)))),
  ])
  const names = new Map((listed.missing ? [] : listed.value).flatMap((one) => (one ? [[one.orgId, one.name]] : [])))
  const oldest = audits.at(-1)
  const next = oldest && audits.length >= AUDITS_OF_A_PAGE ? `${root}/operator/audit?before=${oldest.at}` : undefined
  const main = <AuditPage root={root} audits={audits} emails={emails} names={names} next={next} />
  return page({ title: 'Audit trail', section, main })
}
