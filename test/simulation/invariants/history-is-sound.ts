import { storeOf } from '#packages/history/history-store.fixture.ts'
import { verifyHistory } from '#packages/history/verify/verify-history.ts'
import type { Check } from './history.ts'

/** All that `npm run history -- verify` finds in events. At rest nothing may be under way. */
export const historyIsSound: Check = async ({ events }) => {
  const { outcomes } = await verifyHistory(storeOf(events), { workingAt: Number.POSITIVE_INFINITY })
  return outcomes.flatMap(({ number, promise, first }) =>
    first === undefined
      ? []
      : [`${number} ${promise}: ${first.stream} #${first.revision} ${first.type}: ${first.what}`],
  )
}
