/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { Credits, ListedJob } from '#contracts/generated/http.ts'
import type { UsedKey } from '#packages/accounts/keys/keys.ts'
import { pricesOf } from '#packages/domain/job/price.ts'
import { hasExpired } from '#packages/domain/key/grant.ts'
import { lowBelow } from '#packages/domain/webhook/low-credits.ts'
import { CreditsHint } from '../../look/credits-hint.tsx'
import { formatDay, formatNumber, Notice } from '../../look/parts.tsx'
import type { Overview } from './read-overview.ts'

const SOON_MS = 7 * 24 * 60 * 60 * 1000
/** The most keys that are named. */
const MAX_NAMES = 3

type Parts = { overview: Overview; base: string }

/** What needs the members' attention; nothing if all is well. */
export function Attention({ overview, base }: Parts): VNode | null {
  const { credits, keys, failed, now } = overview
  const notices = [
    credits.missing ? null : lowCredits(credits.value, base),
    keys.missing ? null : expiringKeys(keys.value, now, base),
    failed.missing ? null : failedJobs(failed.value, base),
  ].filter((one) => one !== null)
  return notices.length === 0 ? null : (
    <section>
      <h2>Needs attention</h2>
      {notices}
    </section>
  )
}

function lowCredits({ available, plan, renewal }: Credits, base: string): VNode | null {
  const isOut = available <= 0
  if (!isOut && available >= lowBelow(plan)) return null
  const { captions, speech } = pricesOf('transcript')
  const left = available === 1 ? '1 credit left' : `${formatNumber(available)} credits left`
  return (
    <Notice key="credits" tone={isOut ? 'bad' : 'warn'}>
      <p>
        <strong>{isOut ? 'No credits left' : left}.</strong>{' '}
        {isOut
          ? 'New jobs are refused until you have more.'
          : `Captions cost ${captions} credit, a transcript from speech ${speech}, an extraction ${pricesOf('extraction').speech}.`}{' '}
        {renewal !== null && `${formatNumber(renewal.credits)} come on ${formatDay(renewal.at)}. `}
        <CreditsHint base={base} />
      </p>
    </Notice>
  )
}

function expiringKeys(keys: readonly UsedKey[], now: number, base: string): VNode | null {
  const soon = keys.filter(({ grant }) => grant.expiresAt !== null && grant.expiresAt <= now + SOON_MS)
  if (soon.length === 0) return null
  const rest = soon.length - MAX_NAMES
  return (
    <Notice key="keys" tone="warn">
      <p>
        <strong>{soon.length === 1 ? 'A key expires soon' : `${soon.length} keys expire soon`}.</strong> Give the
        programs that use it a new one in time. <a href={`${base}/keys`}>Create API key</a>
      </p>
      <ul>
        {soon.slice(0, MAX_NAMES).map(({ id, name, grant }) => (
          <li key={id}>
            {name}: {hasExpired(grant, now) ? 'expired' : 'expires'} on {formatDay(grant.expiresAt ?? now)}
          </li>
        ))}
        {rest > 0 && <li>{`and ${rest} more`}</li>}
      </ul>
    </Notice>
  )
}

/** Failures, grouped by their message. Jobs that the customer cancelled need no attention. */
function failedJobs(failed: readonly ListedJob[], base: string): VNode | null {
  const causes = new Map<string, number>()
  for (const { errorCode, errorMessage } of failed)
    if (errorMessage !== null && errorCode !== 'cancelled')
      causes.set(errorMessage, (causes.get(errorMessage) ?? 0) + 1)
  if (causes.size === 0) return null
  const sorted = [...causes].sort(([, one], [, other]) => other - one)
  return (
    <Notice key="jobs" tone="warn">
      <p>
        <strong>Jobs failed in the last 24 hours.</strong> You were not charged.{' '}
        <a href={`${base}/jobs?status=failed`}>View jobs</a>
      </p>
      <ul>
        {sorted.map(([message, count]) => (
          <li key={message}>
            {formatNumber(count)} × {message}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
