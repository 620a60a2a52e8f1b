/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { PlanRequest } from '#packages/accounts/people/plan-requests.ts'
import { type Plan, plans, SIGN_UP_CREDITS } from '#packages/domain/credits/plans.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { Missing, orMissing } from '../../look/missing.tsx'
import { FormProblem, formatDay, Notice, OutLink } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import {
  type Answer,
  type OrgPageContext,
  type Page,
  type PageContext,
  page,
  pathOf,
  type Redirect,
  type Route,
  redirect,
} from '../../route.ts'
import { planIn } from '../plan-in.ts'
import { Operator } from '../sign-in/parts.tsx'
import { refusedIn, submitted } from '../submitted.ts'
import { PlanCards, Prices } from './plan-cards.tsx'

type Parts = Pick<DashboardParts, 'details' | 'planRequests'>

/** `/plans` for everyone, if anyone may sign up, and `/org/{orgId}/plans`, where a member requests another plan. */
export const plansRoutes = (parts: Parts, options: PageOptions): Route[] => [
  { path: '/plans', access: 'anyone', get: (context) => publicPage(options, context) },
  {
    path: '/org/:orgId/plans',
    access: 'member',
    get: (context) => ownPage(parts, options, context),
    post: (context) => ask(parts, context),
  },
]

function publicPage(options: PageOptions, { visitor }: PageContext): Answer {
  if (visitor !== undefined) {
    const [first] = visitor.account.memberships
    return redirect(first === undefined ? '/account' : plansOf(first.orgId))
  }
  if (options.signup !== 'open') return redirect(`/sign-in?next=${encodeURIComponent('/plans')}`)
  return page({
    title: 'Plans',
    front: `Prices of the video transcript API: ${SIGN_UP_CREDITS} free credits without a card, then plans from $${plans.starter.price} a month.`,
    main: (
      <>
        <section class="hero">
          <h1>Plans</h1>
          <p>Start free, without a card. You pay for results only: a job that fails costs nothing.</p>
        </section>
        <PlanCards options={options} heading="h2" action={(plan) => <SignUp root={options.root} plan={plan} />} />
        <Terms options={options} />
      </>
    ),
  })
}

export const SignUp = ({ root, plan }: { root: string; plan: Plan }): VNode => (
  <a class={`button full ${plan === 'free' ? 'main' : ''}`} href={`${root}/sign-up`}>
    Start free
  </a>
)

/** The path of an organization's page of plans, below the dashboard. */
export const plansOf = (orgId: string): string => `/org/${orgId}/plans`

async function ownPage({ details, planRequests }: Parts, options: PageOptions, context: OrgPageContext): Promise<Page> {
  const { org, flash } = context
  const { status, problems } = refusedIn(flash)
  const [plan, open] = await Promise.all([
    orMissing(() => details.planOf(org.orgId)),
    orMissing(() => planRequests.open(org.orgId)),
  ])
  const current = plan.missing ? undefined : plan.value
  const asked = open.missing ? undefined : open.value
  const path = options.root + plansOf(org.orgId)
  return page({
    title: 'Plans',
    section: 'settings',
    status,
    main: (
      <>
        <h1>Plans</h1>
        <FormProblem problems={problems} />
        {plan.missing && <Missing what="Your plan" />}
        {asked && <Asked asked={asked} />}
        <PlanCards
          options={options}
          current={current}
          heading="h2"
          action={(one) => <Choose plan={one} current={current} asked={asked?.plan} path={path} options={options} />}
        />
        <Terms options={options} />
        <p class="quiet">
          <a href={options.root + pathOf(org.orgId, 'usage')}>View your usage</a>
        </p>
      </>
    ),
  })
}

/** What credits buy, and how to pay for plans. */
const Terms = ({ options }: { options: PageOptions }): VNode => (
  <div class="grid">
    <section class="card">
      <h2>What a credit buys</h2>
      <Prices extracts={options.extracts} />
    </section>
    <section class="card">
      <h2>How plans work</h2>
      <ul class="gives">
        <li>Monthly credits arrive on the 1st (UTC). Unused ones expire then.</li>
        <li>{`The ${SIGN_UP_CREDITS} sign-up credits do not expire.`}</li>
        <li>An upgrade adds the difference at once. A downgrade takes nothing back.</li>
        <li>
          <Billing options={options} />
        </li>
      </ul>
    </section>
  </div>
)

/** Who takes the money, because this service does not. */
export const Billing = ({ options }: { options: PageOptions }): VNode => (
  <>
    Payments and invoices are not part of this dashboard: ask <Operator options={options} />.
  </>
)

const Asked = ({ asked: { plan, at } }: { asked: PlanRequest }): VNode => (
  <Notice tone="good">
    <p>{`You requested ${plans[plan].name} on ${formatDay(at)}. We will e-mail you about the next step.`}</p>
  </Notice>
)

type ChooseParts = {
  plan: Plan
  current: Plan | undefined
  asked: Plan | undefined
  path: string
  options: PageOptions
}

/** The button for a larger plan. */
function Choose({ plan, current, asked, path, options: { upgradeUrl } }: ChooseParts): VNode | null {
  if (current === undefined || !isLarger(plan, current)) return null
  const { name } = plans[plan]
  if (upgradeUrl !== undefined)
    return (
      <OutLink href={upgradeUrl} look="button main full">
        {`Upgrade to ${name}`}
      </OutLink>
    )
  if (plan === asked) return <p class="quiet">Requested</p>
  return (
    <form method="post" action={path}>
      <button class="main full" type="submit" name="plan" value={plan}>
        {`Request ${name}`}
      </button>
    </form>
  )
}

const isLarger = (plan: Plan, current: Plan): boolean => plans[plan].price > plans[current].price

async function ask({ details, planRequests }: Parts, { org, visitor, form }: OrgPageContext): Promise<Redirect> {
  const { refusal } = await submitted(async () => {
    const plan = planIn(form)
    if (!isLarger(plan, await details.planOf(org.orgId)))
      throw invalidRequest({ path: 'plan', message: 'must be larger than your current plan' })
    await planRequests.ask(visitor.account, org, plan)
  })
  return refusal ? redirect(plansOf(org.orgId), { flash: { refusal } }) : redirect(plansOf(org.orgId))
}
