/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { organizationNameOf } from '#packages/accounts/people/account-fields.ts'
import { type Plan, plans, SIGN_UP_CREDITS } from '#packages/domain/credits/plans.ts'
import type { Account } from '#packages/ports/accounts.ts'
import { formRoutes } from '../form-routes.ts'
import { Missing, orMissing } from '../look/missing.tsx'
import { Facts, Field, FormProblem, formatNumber, type Problems, Submit } from '../look/parts.tsx'
import type { PageOptions } from '../options.ts'
import type { DashboardParts } from '../parts.ts'
import { page, pathOf, type Route, redirect } from '../route.ts'
import { PasswordAgain } from './account/password-again.tsx'
import { Billing, plansOf } from './plans/plans.tsx'
import { refusedIn, refusedWith, submitted } from './submitted.ts'

/** `/org/{orgId}/settings`: shows and renames an organization. A member can leave it, and an owner can close it. */
export const settingsRoutes = (
  { details, organizations, removal }: Pick<DashboardParts, 'details' | 'organizations' | 'removal'>,
  options: PageOptions,
): Route[] => [
  {
    path: '/org/:orgId/settings',
    access: 'member',
    async get({ org: { orgId, name, role }, visitor: { account }, baseUrl, flash }) {
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
              <Facts
                facts={{
                  Name: name,
                  ID: <code>{orgId}</code>,
                  'Your role': role,
                  'API base URL': <code>{`${baseUrl}/v1`}</code>,
                }}
              />
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
              <h2>Leave this organization</h2>
              <Leaving root={root} orgId={orgId} />
            </section>
            {role === 'owner' && (
              <section class="card">
                <h2>Close this organization</h2>
                <Closing root={root} orgId={orgId} account={account} problems={problems} />
              </section>
            )}
          </>
        ),
      })
    },
  },
  ...formRoutes('/org/:orgId/settings', 'owner', {
    async name({ org: { orgId }, form }) {
      const settings = pathOf(orgId, 'settings')
      const typed = form.get('organization') ?? ''
      const { refusal } = await submitted(() => organizations.rename(orgId, organizationNameOf(typed)))
      if (refusal) return redirect(settings, { flash: refusedWith(refusal, { organization: typed }) })
      details.renamed(orgId)
      return redirect(settings, { notice: 'organization-renamed' })
    },
    async close({ org: { orgId }, visitor, form }) {
      const { refusal } = await submitted(() => removal.closeOwn(visitor, orgId, form.get('password') ?? ''))
      if (refusal) return redirect(pathOf(orgId, 'settings'), { flash: { refusal } })
      return redirect('/account', { notice: 'organization-closed' })
    },
  }),
]

type PlanParts = { plan: Plan; plansPath: string; options: PageOptions }

function PlanFacts({ plan, plansPath, options }: PlanParts): VNode {
  const { name, monthlyCredits, lane, webhooks } = plans[plan]
  return (
    <>
      <Facts
        facts={{
          Plan: <span class="badge">{name}</span>,
          'Credits per month':
            monthlyCredits === 0 ? `None, ${SIGN_UP_CREDITS} on sign-up` : formatNumber(monthlyCredits),
          'Jobs per minute': formatNumber(options.jobsPerMinute[plan]),
          Webhooks: String(webhooks),
          Queue: lane === 'priority' ? 'priority' : 'standard',
        }}
      />
      <p>
        <a class="button" href={plansPath}>
          Compare plans
        </a>
      </p>
      <p class="small quiet">
        <Billing options={options} />
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
        <Submit tone="bad">Leave this organization</Submit>
      </form>
    </details>
  </>
)

type ClosingParts = { root: string; orgId: string; account: Account; problems: Problems }

const Closing = ({ root, orgId, account, problems }: ClosingParts): VNode => (
  <>
    <p>
      Revokes all keys, cancels running jobs, and permanently deletes jobs, keys, credits and the name. Members who
      belong to no other organization lose their accounts. You keep yours, unless you{' '}
      <a href={`${root}/account/delete`}>delete it too</a>.
    </p>
    <p class="small quiet">To delete the content of a single job, open the job.</p>
    <details class="ask" open={'password' in problems}>
      <summary class="button">Close</summary>
      <form class="narrow" method="post" action={`${root}${pathOf(orgId, 'settings')}/close`}>
        <PasswordAgain account={account} problems={problems} />
        <p class="small">This cannot be undone.</p>
        <Submit tone="bad">Close this organization</Submit>
      </form>
    </details>
  </>
)
