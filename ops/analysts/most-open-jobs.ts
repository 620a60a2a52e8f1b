/**
 * The largest number of jobs open at once, and when. It has no `merge`, because the order of events across jobs
 * matters.
 */
import type { Projection } from './projection.ts'

type State = { open: Set<string>; most: number; at: number | null }

export const projection: Projection<State> = {
  prefixes: ['job-'],
  initialState: () => ({ open: new Set(), most: 0, at: null }),

  evolve(state, { type, stream, recordedAt }) {
    if (type === 'JobRequested') state.open.add(stream)
    if (type === 'JobCompleted' || type === 'JobFailed') state.open.delete(stream)
    if (state.open.size > state.most) Object.assign(state, { most: state.open.size, at: recordedAt })
    return state
  },

  print: ({ most, at, open }) =>
    at === null
      ? 'no job was requested'
      : `${most} jobs were open at ${new Date(at).toISOString()}; ${open.size} are open in the end`,
}
