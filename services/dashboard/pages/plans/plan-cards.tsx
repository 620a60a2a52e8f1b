/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { mostItemsOf, type Plan, plans, SIGN_UP_CREDITS } from '#packages/domain/credits/plans.ts'
import { pricesOf } from '#packages/domain/job/price.ts'
import { formatNumber } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'

const names = Object.keys(plans) as Plan[]

type Parts = {
  options: Pick<PageOptions, 'batchMaxItems' | 'jobsPerMinute'>
  /** The action for a plan, at the foot of its card. */
  action(plan: Plan): VNode | null
  /** The plan of the organization. */
  current?: Plan | undefined
  /** The heading level of the plans' names. */
  heading: 'h2' | 'h3'
}

/** The plans, side by side (specification, Plans). */
export const PlanCards = ({ options, action, current, heading: Heading }: Parts): VNode => (
  <div class="plans">
    {names.map((plan) => {
      const { name, price } = plans[plan]
      return (
        <section key={plan} class={`card plan ${plan === current ? 'current' : ''}`} aria-labelledby={`plan-${plan}`}>
          <div class="head">
            <Heading id={`plan-${plan}`}>{name}</Heading>
            {plan === current && <span class="badge busy">Your plan</span>}
          </div>
          <p class="price">
            <strong>{`$${price}`}</strong> {price > 0 && <span class="quiet">a month</span>}
          </p>
          <ul class="gives">
            {factsOf(plan, options).map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
          {action(plan)}
        </section>
      )
    })}
  </div>
)

function factsOf(plan: Plan, { batchMaxItems, jobsPerMinute }: Parts['options']): string[] {
  const { monthlyCredits, lane, watches, webhooks } = plans[plan]
  return [
    monthlyCredits === 0 ? `${SIGN_UP_CREDITS} credits on sign-up` : `${formatNumber(monthlyCredits)} credits a month`,
    `${formatNumber(jobsPerMinute[plan])} jobs a minute`,
    `${formatNumber(mostItemsOf(plan, batchMaxItems))} videos in a batch`,
    `${watches} watches, ${webhooks} webhooks`,
    ...(lane === 'priority' ? ['Priority processing and support'] : []),
  ]
}

/** What credits buy. @param extracts whether this service offers extractions */
export const Prices = ({ extracts }: Pick<PageOptions, 'extracts'>): VNode => {
  const { captions, speech } = pricesOf('transcript')
  const rows = [
    ['Transcript from captions', String(captions)],
    ['Transcript from speech', String(speech)],
    ...(extracts ? [['Structured data by your schema', String(pricesOf('extraction').captions)]] : []),
    ['Metadata, search, profiles, estimates', 'Free'],
    ['A job that fails', 'Free'],
  ] as const
  return (
    <table class="numbers">
      <caption class="hidden">What each operation costs, in credits</caption>
      <thead>
        <tr>
          <th scope="col">For each video</th>
          <th scope="col">Credits</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([what, credits]) => (
          <tr key={what}>
            <td>{what}</td>
            <td>{credits}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
