import { CustomVariableBuilder, TextBoxVariableBuilder, VariableHide } from '@grafana/grafana-foundation-sdk/dashboard'
import { orZero } from '#ops/prometheus/query.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import { dashboard, valuesOf } from './dashboard.ts'
import { bars, by, graph, legendOf, of, quantiles, RANGE, stat } from './panels.ts'
import { traceSearch, variable } from './trace-search.ts'

const completed = { [names.outcome]: 'completed' }
const failed = { [names.outcome]: { not: ['completed'] } }

/** The root spans of jobs, in the traces of the service that settles them. */
const roots = { service: variable('settledBy'), operation: 'job' }
const [organization, jobId] = [variable('organization:percentencode'), variable('jobId:percentencode')]
const isFailed = { [names.isFailed]: 'true' }
const searches = {
  slow: ['Slow jobs', traceSearch({ ...roots, minDuration: variable('slow') })],
  failed: ['Failed jobs', traceSearch({ ...roots, tags: isFailed })],
  ofOne: [
    'Failed jobs of this organization',
    traceSearch({ ...roots, tags: { ...isFailed, [names.orgId]: organization } }),
  ],
  one: ['The job of this id', traceSearch({ ...roots, tags: { [names.jobId]: jobId } })],
} as const

/** The path of jobs from acceptance to settlement, and where their time goes. */
export const jobs = dashboard({
  name: 'jobs',
  title: 'Jobs',
  about: 'The way of jobs from acceptance to settlement, where their time goes, and single jobs by their traces.',
  variables: [
    valuesOf('settledBy', 'Settled by', metrics.jobsOpen, 'job').regex('/.+\\/(.+)/').hide(VariableHide.HideVariable),
    new TextBoxVariableBuilder('organization').label('Organization (id, for the links)').defaultValue(''),
    new TextBoxVariableBuilder('jobId').label('Job (id, for the links)').defaultValue(''),
    new CustomVariableBuilder('slow')
      .label('Slow from')
      .values('10s,30s,60s,120s')
      .current({ selected: true, text: '30s', value: '30s' }),
  ],
  rows: [
    {
      title: 'Funnel',
      panels: [
        bars({
          title: 'From accepted to settled',
          about: 'In the time that is looked at. Steps: attempts that completed; not every job needs every step.',
          unit: 'short',
          lines: [
            [of.increase(metrics.jobsAccepted, RANGE), 'accepted'],
            by([names.step], (by) => of.increase(metrics.stepDuration, RANGE, { by, where: completed })),
            [of.increase(metrics.jobsFinished, RANGE), 'ended and settled'],
            [orZero(of.increase(metrics.jobsFinished, RANGE, { where: completed })), 'completed'],
          ],
        }),
        bars({
          title: 'How they ended',
          about: 'By outcome: `completed`, or the code of the failure.',
          unit: 'short',
          links: [searches.failed, searches.ofOne, searches.one],
          lines: [by([names.outcome], (by) => of.increase(metrics.jobsFinished, RANGE, { by }))],
        }),
        graph({
          title: 'Failed jobs',
          about: 'By kind, platform and code. The links open their traces: all, or those of the organization above.',
          unit: 'ops',
          width: 24,
          links: [searches.failed, searches.ofOne],
          lines: [
            by([names.kind, names.platform, names.outcome], (by) =>
              orZero(of.rate(metrics.jobsFinished, { by, where: failed })),
            ),
          ],
        }),
      ],
    },
    {
      title: 'Where the time goes',
      panels: [
        graph({
          title: 'Steps under way and waiting',
          about: 'Seconds per second: how many are at work, and how many wait for a worker, on average.',
          unit: 'short',
          lines: [
            [of.timeIn(metrics.stepDuration, { by: [names.step] }), `${legendOf(names.step)} works`],
            [of.timeIn(metrics.stepWait, { by: [names.step] }), `${legendOf(names.step)} waits`],
          ],
        }),
        graph({
          title: 'Time of an attempt',
          about: 'Half of them, and 95 of 100, are faster.',
          unit: 's',
          lines: quantiles([0.5, 0.95], metrics.stepDuration, { by: [names.step] }),
        }),
        graph({
          title: 'Wait for a worker',
          about: 'From due to claimed, 95 of 100 are faster. It grows: start more of that service (ops/scaling.md).',
          unit: 's',
          lines: [by([names.step, names.lane], (by) => of.quantile(0.95, metrics.stepWait, { by }))],
        }),
        graph({
          title: 'Slowest jobs',
          about: 'Time of a whole job: 99 of 100 are faster. The link opens the traces of slow ones.',
          unit: 's',
          links: [searches.slow],
          lines: [by([names.kind, names.mode], (by) => of.quantile(0.99, metrics.jobDuration, { by }))],
        }),
      ],
    },
    {
      title: 'What is under way',
      panels: [
        stat({
          title: 'Open past their deadline',
          about: 'More than 0 for minutes: the orchestrator stands still, or cannot append.',
          unit: 'short',
          bad: 1,
          lines: [[of.sum(metrics.jobsOverdue), 'jobs']],
        }),
        graph({
          title: 'Owner of the orchestrators',
          about: 'One process has 1. None for minutes: no process moves jobs on.',
          unit: 'short',
          width: 6,
          lines: [by(['instance'], (by) => of.sum(metrics.orchestratorOwner, { by }))],
        }),
        graph({
          title: 'Open jobs by age',
          about: 'Jobs that are older than their window (180 s as configured by default) are stuck.',
          unit: 'short',
          width: 6,
          lines: [by([names.age], (by) => of.sum(metrics.jobsOpen, { by }))],
        }),
        graph({
          title: 'Steps that wait',
          about: 'Due and not claimed, by step and lane.',
          unit: 'short',
          width: 6,
          lines: [by([names.step, names.lane], (by) => of.sum(metrics.queueDepth, { by }))],
        }),
      ],
    },
    {
      title: 'What goes wrong on the way',
      panels: [
        graph({
          title: 'Retries',
          about: 'Failed attempts after which the step is tried again, by code.',
          unit: 'ops',
          width: 8,
          lines: [by([names.step, names.outcome], (by) => orZero(of.rate(metrics.stepsRetried, { by })))],
        }),
        graph({
          title: 'Leases that ran out',
          about: 'Workers that died or hung in the middle of a step.',
          unit: 'ops',
          width: 8,
          lines: [by([names.step], (by) => orZero(of.rate(metrics.leasesExpired, { by })))],
        }),
        graph({
          title: 'Deadlines missed',
          about: 'Any one counts against the service level.',
          unit: 'ops',
          width: 8,
          lines: [by([names.kind], (by) => orZero(of.rate(metrics.deadlinesMissed, { by })))],
        }),
      ],
    },
  ],
})
