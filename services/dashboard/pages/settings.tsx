/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { organizationNameOf } from '#packages/accounts/account-fields.ts'
import { type Plan, plans, SIGN_UP_CREDITS } from '#packages/domain/credits/plans.ts'
import { Missing, orMissing } from '../look/missing.tsx'
import { Field, FormProblem, formatNumber } from '../look/parts.tsx'
import type { PageOptions } from '../options.ts'
import type { DashboardParts } from '../parts.ts'
import { page, pathOf, type Route, redirect } from '../route.ts'
import { plansOf } from './plans/plans.tsx'
import { refusedIn, refusedWith, submitted } from './submitted.ts'

/** `/org/{orgId}/settings`: what an organization is, and how one leaves or closes it. */
export const settingsRoutes = (
  { details, organizations }: Pick<DashboardParts, 'details' | 'organizations'>,
  options: PageOptions,
): Route[] => [
  {
    path: '/org/:orgId/settings',
    access: 'member',
    async get({ org: { orgId, name, role }, baseUrl, flash }) {
      const { root } = options
      const { status, problems, typed } = refusedIn(flash)
      const plan = await orMissing(() => details.planOf(orgId))
      return page({
        title: `Settings of ${name}`,
        section: 'settings',
        status,
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
              {role === 'owner' && (
                <form class="narrow" method="post" action={`${root}${pathOf(orgId, 'settings')}/name`}>
                  <FormProblem problems={problems} />
                  <Field
                    name="organization"
                    label="Organization name"
                    value={typed.get('organization') ?? name}
                    problems={problems}
                    required
                    maxLength={100}
                    autocomplete="organization"
                  />
                  <button type="submit">Rename</button>
                </form>
              )}
            </section>
            <section class="card">
              <h2>Plan</h2>
              {plan.missing ? (
                <Missing what="Your plan" />
              ) : (
                <PlanFacts plan={plan.value} plansPath={root + plansOf(orgId)} options={options} />
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
  {
    path: '/org/:orgId/settings/name',
    access: 'owner',
    async post({ org: { orgId }, form }) {
      const settings = pathOf(orgId, 'settings')
      const typed = form.get('organization') ?? ''
      const { refusal } = await submitted(() => organizations.rename(orgId, organizationNameOf(typed)))
      if (refusal) return redirect(settings, { flash: refusedWith(refusal, { organization: typed }) })
      details.renamed(orgId)
      return redirect(settings, { notice: 'organization-renamed' })
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
