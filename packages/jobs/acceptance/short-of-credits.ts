import type { LedgerOutcome } from '#packages/accounts/ledger/ledger-entry.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'

/** When to retry if jobs under way hold the credits, seconds: most of them end within a few. */
const HELD_RETRY_SECONDS = 5

/** @throws ServiceError forbidden, unavailable: the ledger has refused the debit */
export function assertCovered(outcome: LedgerOutcome): void {
  if (outcome.type === 'insufficient') throw insufficient(outcome)
  if (outcome.type === 'over-monthly-credits') throw overMonthlyCredits(outcome)
  if (outcome.type === 'too-many-open-debits')
    throw new ServiceError('unavailable', 'Too many jobs are open; nothing was charged.', { retryAfterSeconds: 5 })
}

/** The result of a refused debit. */
type Short = { required: number; remaining: number; held: number }

const creditsOf = (count: number): string => (count === 1 ? '1 credit' : `${count} credits`)
const leftOf = (count: number): string =>
  count === 1 ? '1 is left' : count === 0 ? 'none are left' : `${count} are left`

const insufficient = (short: Short): ServiceError =>
  shortOfCredits(
    'insufficient_credits',
    `This takes ${creditsOf(short.required)}, and ${leftOf(short.remaining)}`,
    short,
  )

const overMonthlyCredits = (short: Short): ServiceError =>
  shortOfCredits(
    'monthly_credits',
    `This takes ${creditsOf(short.required)}, and the key has ${short.remaining} left this month`,
    short,
  )

/** Credits that jobs under way hold may be refunded. If they would suffice, waiting may help. */
function shortOfCredits(reason: string, message: string, { required, remaining, held }: Short): ServiceError {
  if (held === 0) return new ServiceError('forbidden', `${message}.`, { details: { reason, required, remaining } })
  const mayDo = remaining + held >= required
  return new ServiceError(
    'forbidden',
    `${message}; ${held} more ${held === 1 ? 'is' : 'are'} held by running jobs and may be refunded.`,
    {
      details: { reason, required, remaining, held },
      ...(mayDo && { retryAfterSeconds: HELD_RETRY_SECONDS }),
    },
  )
}

/** Whether a request was refused because its organization, or its key, is short of credits. */
export const isShortOfCredits = (error: unknown): boolean =>
  error instanceof ServiceError &&
  error.code === 'forbidden' &&
  ['insufficient_credits', 'monthly_credits'].includes((error.details as { reason?: string } | null)?.reason ?? '')
