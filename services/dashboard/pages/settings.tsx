/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { type Plan, plans, SIGN_UP_CREDITS } from '#packages/domain/credits/plans.ts'
import { Missing, orMissing } from '../look/missing.tsx'
import { formatNumber } from '../look/parts.tsx'
import type { PageOptions } from '../options.ts'
import type { DashboardParts } from '../parts.ts'
import { page, pathOf, type Route } from '../route.ts'

/** `/org/{orgId}/settings`: what an organization is, and how one leaves or closes it. */
export const settingsRoutes = ({ details }: Pick<DashboardParts, 'details'>, options: PageOptions): Route[] => [
  {
    path: '/org/:orgId/settings',
    access: 'member',
    async get({ org: { orgId, name, role }, baseUrl }) {
      const { root } = options
      const plan = await orMissing(() => details.planOf(orgId))
      return page({
        title: `Settings of ${name}`,
        section: 'settings',
        main: (
          <>
            <h1>Settings</h1>
            <section class="card">
              <h2>Organization</h2>
              <dl class="facts">
                <dt>Name</dt>
                <dd>{name}</dd>
                <dt>Id</dt>
                <dd>
                  <code>{orgId}</code>
                </dd>
                <dt>Your role</dt>
                <dd>{role}</dd>
                <dt>Address of the API</dt>
                <dd>
                  <code>{`${baseUrl}/v1`}</code>
                </dd>
              </dl>
            </section>
            <section class="card">
              <h2>Plan</h2>
              {plan.missing ? (
                <Missing what="Your plan" />
              ) : (
                <PlanFacts plan={plan.value} plansPath={`${root}/org/${orgId}/plans`} options={options} />
              )}
            </section>
            <section class="card">
              <h2>Leave, delete or close</h2>
              <Leaving root={root} orgId={orgId} />
            </section>
          </>
        ),
      })
    },
  },
]

type PlanParts = { plan: Plan; plansPath: string; options: PageOptions }

function PlanFacts({ plan, plansPath, options: { jobsPerMinute } }: PlanParts): VNode {
  const { name, monthlyCredits, lane, webhooks } = plans[plan]
  return (
    <>
      <dl class="facts">
        <dt>Plan</dt>
        <dd>
          <span class="badge">{name}</span>
        </dd>
        <dt>Credits a month</dt>
        <dd>{monthlyCredits === 0 ? `None; ${SIGN_UP_CREDITS} on sign-up` : formatNumber(monthlyCredits)}</dd>
        <dt>Jobs a minute</dt>
        <dd>{formatNumber(jobsPerMinute[plan])}</dd>
        <dt>Webhooks</dt>
        <dd>{webhooks}</dd>
        <dt>Queue</dt>
        <dd>{lane === 'priority' ? 'priority' : 'standard'}</dd>
      </dl>
      <p>
        <a class="button" href={plansPath}>
          Compare plans
        </a>
      </p>
    </>
  )
}

const Leaving = ({ root, orgId }: { root: string; orgId: string }): VNode => (
  <>
    <p>You lose access immediately. Other members keep theirs.</p>
    <details class="ask">
      <summary class="button">Leave</summary>
      <form method="post" action={`${root}${pathOf(orgId, 'members')}/leave`}>
        <p class="small">You need a new invitation to return.</p>
        <button class="bad" type="submit">
          Leave this organization
        </button>
      </form>
    </details>
    <p>To delete a job’s content, open the job. Everything else is kept until the organization is closed.</p>
    <p>
      An organization closes when its last owner <a href={`${root}/account/delete`}>deletes their account</a>: its keys
      are revoked, its open jobs are cancelled, and its jobs, keys, credits and name are permanently deleted, with the
      accounts of members who belong to no other organization.
    </p>
  </>
)
