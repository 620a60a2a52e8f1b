/** How long each step of jobs worked until its result, and how often it failed. It shows where the time goes. */
import type { Projection } from './projection.ts'

type Figures = { results: number; failures: number; seconds: number; longest: number }

type State = {
  /** The running step of each open job and its start, by stream. */
  atWork: Map<string, { step: string; since: number }>
  steps: Map<string, Figures>
}

const results = new Set([
  'VideoFetched',
  'CaptionsRead',
  'CaptionsUnavailable',
  'SpeechTranscribed',
  'ExtractionProduced',
])

const nothing = (): Figures => ({ results: 0, failures: 0, seconds: 0, longest: 0 })

const figuresOf = ({ steps }: State, step: string): Figures => {
  const figures = steps.get(step) ?? nothing()
  steps.set(step, figures)
  return figures
}

export const projection: Projection<State> = {
  prefixes: ['job-'],
  initialState: () => ({ atWork: new Map(), steps: new Map() }),

  evolve(state, { type, data, stream, recordedAt }) {
    if (type === 'StepStarted') state.atWork.set(stream, { step: data.step, since: recordedAt })
    if (type === 'StepFailed') figuresOf(state, data.step).failures++
    const work = state.atWork.get(stream)
    if (work !== undefined && results.has(type)) {
      const figures = figuresOf(state, work.step)
      const seconds = (recordedAt - work.since) / 1000
      figures.results++
      figures.seconds += seconds
      figures.longest = Math.max(figures.longest, seconds)
    }
    // Remove ended jobs: a history has more jobs than fit into memory.
    if (type === 'JobCompleted' || type === 'JobFailed') state.atWork.delete(stream)
    return state
  },

  merge(one, other) {
    for (const [step, more] of other.steps) {
      const figures = figuresOf(one, step)
      figures.results += more.results
      figures.failures += more.failures
      figures.seconds += more.seconds
      figures.longest = Math.max(figures.longest, more.longest)
    }
    return one
  },

  print: ({ steps }) =>
    [...steps]
      .sort()
      .map(([step, { results, failures, seconds, longest }]) => {
        const mean = results === 0 ? 0 : seconds / results
        return `${step.padEnd(16)}${results} results, mean ${mean.toFixed(2)} s, longest ${longest.toFixed(2)} s, ${failures} failures`
      })
      .join('\n'),
}
