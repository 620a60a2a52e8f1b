/**
 * Credits charged by month (UTC), plan and platform: the revenue of a month, and its sources. With --from, a plan
 * changed earlier counts as free.
 */
import type { Projection } from './projection.ts'

type State = {
  /** The plans of organizations that have changed theirs, by stream. */
  plans: Map<string, string>
  /** Credits charged, by month, plan and platform. */
  charged: Map<string, number>
}

export const projection: Projection<State> = {
  prefixes: ['credits-'],
  initialState: () => ({ plans: new Map(), charged: new Map() }),

  evolve(state, { type, data, stream, recordedAt }) {
    if (type === 'PlanChanged') state.plans.set(stream, data.plan)
    if (type !== 'CreditsSettled' || data.charged === 0) return state
    const month = new Date(recordedAt).toISOString().slice(0, 7)
    const row = [month, state.plans.get(stream) ?? 'free', data.platform ?? 'not known'].join('  ')
    state.charged.set(row, (state.charged.get(row) ?? 0) + data.charged)
    return state
  },

  // One thread folds a whole stream, so it knows the plans of its streams. Only the sums are merged.
  merge(one, other) {
    for (const [stream, plan] of other.plans) one.plans.set(stream, plan)
    for (const [row, credits] of other.charged) one.charged.set(row, (one.charged.get(row) ?? 0) + credits)
    return one
  },

  print: ({ charged }) =>
    [...charged]
      .sort()
      .map(([row, credits]) => `${row}  ${credits}`)
      .join('\n'),
}
