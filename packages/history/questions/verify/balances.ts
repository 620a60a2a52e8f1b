import type { LedgerDraft } from '#packages/domain/credits/ledger.ts'
import type { Check } from './check.ts'
import { Verdict } from './outcome.ts'
import type { EventOf } from './traces.ts'

/** Invariant 2 of ops/architecture.md: the balance is the sum of the ledger, and is never negative. */
export function balances(): Check {
  const verdict = new Verdict(
    '2',
    'balance = grants + renewals − expiries − holds + releases − debits + refunds of no batch, never negative, and each statement says so',
  )
  return {
    verdict,
    onCredits(event, { draft, account }) {
      verdict.checked()
      if (event.type === 'CreditsStated') for (const what of differences(event, draft)) verdict.broken(event, what)
      for (const what of account?.apply(event) ?? []) verdict.broken(event, what)
    },
    afterCredits(event, { draft }) {
      if (draft.balance < 0) verdict.broken(event, `the balance is ${draft.balance}`)
    },
  }
}

/** How a statement differs from the ledger before it. */
function differences({ data }: EventOf<'CreditsStated'>, draft: LedgerDraft): string[] {
  const told = ['balance', 'plan', 'period', 'renewed', 'fillings'] as const
  const wrong = told
    .filter((field) => data[field] !== draft[field])
    .map((field) => `${field} ${data[field]} is stated, and it is ${draft[field]}`)
  if (data.months.join() !== draft.months.join()) wrong.push(`the months ${data.months} are stated`)
  const open = new Map(data.openDebits.map(({ jobId, credits }) => [jobId, credits]))
  for (const [jobId, { credits }] of draft.openDebits)
    if (open.get(jobId) !== credits) wrong.push(`the open debit of ${jobId} is not stated`)
  if (open.size > draft.openDebits.size) wrong.push('a debit is stated that is not open')
  const held = new Map(data.holds.map(({ batchId, credits }) => [batchId, credits]))
  for (const [batchId, { credits }] of draft.holds)
    if (held.get(batchId) !== credits) wrong.push(`what is held for ${batchId} is not stated`)
  if (held.size > draft.holds.size) wrong.push('a hold is stated that is released')
  if (data.spending.period !== draft.spending.period) return wrong
  for (const { keyId, credits } of data.spending.keys)
    if (draft.spending.byKey.get(keyId) !== credits) wrong.push(`what the key ${keyId} has taken is stated wrongly`)
  return wrong
}
