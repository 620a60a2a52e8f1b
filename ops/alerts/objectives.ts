/** The two service levels, and how fast their error budgets burn. */
import { prometheusLabel } from '#ops/prometheus/names.ts'
import { everyJob, Queries } from '#ops/prometheus/query.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'

export type Recording = { record: string; expr: string }

/**
 * An alert compares a long and a short window: the long one shows that it matters, the short one that it continues.
 * `factor`: how many times faster than planned the 30-day budget burns. 14.4: 2 % of it in an hour. 6: 5 % in six hours.
 */
export const burns = [
  { burn: 'fast', factor: 14.4, long: { name: '1h', seconds: 3600 }, short: { name: '5m', seconds: 300 } },
  { burn: 'slow', factor: 6, long: { name: '6h', seconds: 21_600 }, short: { name: '30m', seconds: 1800 } },
] as const

type WindowName = (typeof burns)[number]['long' | 'short']['name']

export type Objective = {
  name: string
  alert: string
  /** The promise, in words. */
  promise: string
  /** The share that may fail. */
  budget: number
  /** How many events failed in a window, and how many there were. */
  failed(window: WindowName): string
  counted(window: WindowName): string
}

const of = new Queries({ jobs: everyJob, window: '' })
const [kind, outcome] = [prometheusLabel(names.kind), prometheusLabel(names.outcome)]

const finished = (window: WindowName): string => `video:jobs_finished:increase_${window}`
const missed = (window: WindowName): string => `video:deadlines_missed:increase_${window}`

/** Failures of a transcript that are our fault. All other codes are about the video or the request. */
const ours = 'platform_blocked|upstream_error|internal_error|timeout|result_too_large'

export const objectives: readonly Objective[] = [
  {
    name: 'jobs_late',
    alert: 'JobsLate',
    promise: '99.9 % of accepted jobs end within their window',
    budget: 0.001,
    failed: missed,
    // Jobs that the customer cancelled, or that were never accepted, do not count.
    counted: (window) => `sum(${finished(window)}{${outcome}!~"cancelled|not_accepted"})`,
  },
  {
    name: 'transcripts_failed',
    alert: 'TranscriptsFail',
    promise: '99 % of transcripts complete, of those that can',
    budget: 0.01,
    failed: (window) => `sum(${finished(window)}{${kind}="transcript", ${outcome}=~"${ours}"})`,
    counted: (window) => `sum(${finished(window)}{${kind}="transcript", ${outcome}=~"completed|${ours}"})`,
  },
]

/** The counts over each window. @param time writes seconds as Prometheus does */
export const countings = (time: (seconds: number) => string): Recording[] =>
  burns
    .flatMap(({ long, short }) => [long, short])
    .flatMap(({ name, seconds }) => {
      const range = { range: time(seconds), hour: time(3600) }
      const byOutcome = { by: [names.kind, names.outcome] }
      return [
        { record: finished(name), expr: of.growth(metrics.jobsFinished, range, byOutcome) },
        { record: missed(name), expr: of.growth(metrics.deadlinesMissed, range) },
      ]
    })

/** The name of the series that records the share of failures over a window. */
export const recordOf = ({ name }: Objective, window: WindowName): string => `video:${name}:ratio_${window}`
