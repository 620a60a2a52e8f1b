import { burns, objectives, recordOf } from '#ops/alerts/objectives.ts'
import { orZero } from '#ops/prometheus/query.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import { dashboard } from './dashboard.ts'
import { by, graph, legendOf, of, quantiles, stat } from './panels.ts'

const serverErrors = { [names.httpStatus]: { like: '5..' } }
const route = [names.httpMethod, names.httpRoute]

/** The four golden signals, the current problems, and how many customers they affect. */
export const service = dashboard({
  name: 'service',
  title: 'Service',
  about: 'Whether customers are served, and where to look next where they are not.',
  rows: [
    {
      title: 'What is on fire',
      panels: [
        stat({
          title: 'Alerts that fire',
          about: 'Each has a runbook in ops/runbooks. 0: none fires.',
          unit: 'short',
          bad: 1,
          lines: [[orZero('count by (alertname) (ALERTS{alertstate="firing"})'), '{{alertname}}']],
        }),
        stat({
          title: 'Customers with failed jobs',
          about: 'Organizations with a failed job in the last five minutes, without failures that are about the video.',
          unit: 'short',
          warn: 1,
          bad: 3,
          lines: [[of.sum(metrics.organizationsFailing), 'customers']],
        }),
        ...objectives.map((objective) =>
          stat({
            title: `How fast the budget is used: ${objective.name.replace('_', ' ')}`,
            about: `${objective.promise}. 1: the budget of failures lasts for 30 days. ${burns.map(({ factor, long }) => `${factor} over ${long.name}`).join(' or ')} calls somebody.`,
            unit: 'short',
            warn: 1,
            bad: Math.min(...burns.map(({ factor }) => factor)),
            lines: burns.map(({ long }) => [`${recordOf(objective, long.name)} / ${objective.budget}`, long.name]),
          }),
        ),
      ],
    },
    {
      title: 'Traffic',
      panels: [
        graph({
          title: 'Requests',
          about: 'Answered requests of each route.',
          unit: 'reqps',
          lines: [by(route, (by) => of.rate(metrics.requestDuration, { by }))],
        }),
        graph({
          title: 'Jobs accepted and ended',
          about: 'Ended below accepted for long: jobs pile up. See the dashboard Jobs.',
          unit: 'ops',
          lines: [
            [of.rate(metrics.jobsAccepted, { by: [names.kind] }), `accepted ${legendOf(names.kind)}`],
            [of.rate(metrics.jobsFinished, { by: [names.kind] }), `ended ${legendOf(names.kind)}`],
          ],
        }),
      ],
    },
    {
      title: 'Errors',
      panels: [
        graph({
          title: 'Answers 5xx',
          about: '503 of a POST: nothing is accepted, and nothing is charged. Look at what the service depends on.',
          unit: 'reqps',
          width: 8,
          lines: [
            [
              orZero(
                of.rate(metrics.requestDuration, { by: [names.httpRoute, names.httpStatus], where: serverErrors }),
              ),
              legendOf(names.httpStatus, names.httpRoute),
            ],
          ],
        }),
        graph({
          title: 'Requests refused by a limit',
          about:
            '`heavy` and `polls`: one customer is busy. `anonymous` and `sign_in`: one address sends too much without a key; if your proxy is it, set `CLIENT_ADDRESS_HEADER`.',
          unit: 'reqps',
          width: 8,
          lines: [by([names.limit], (by) => orZero(of.rate(metrics.requestsLimited, { by })))],
        }),
        graph({
          title: 'Failed jobs, by code',
          about: 'All codes, also those about the video: private, removed.',
          unit: 'ops',
          width: 8,
          lines: [
            by([names.outcome], (by) =>
              orZero(
                of.rate(metrics.jobsFinished, {
                  by,
                  where: { [names.outcome]: { not: ['completed'] } },
                }),
              ),
            ),
          ],
        }),
      ],
    },
    {
      title: 'Latency',
      panels: [
        graph({
          title: 'Time to answer, 99 of 100',
          about: 'By route. A POST waits for an append to the event store, or two on EventStoreDB.',
          unit: 's',
          lines: [by(route, (by) => of.quantile(0.99, metrics.requestDuration, { by }))],
        }),
        graph({
          title: 'Time from acceptance to the end of a job',
          about: 'Half of the completed jobs, and 95 of 100, are faster.',
          unit: 's',
          lines: quantiles([0.5, 0.95], metrics.jobDuration, {
            by: [names.kind, names.mode],
            where: { [names.outcome]: 'completed' },
          }),
        }),
      ],
    },
    {
      title: 'Saturation',
      panels: [
        graph({
          title: 'Longest wait for a worker',
          about:
            'How long the oldest step that is due has waited. It grows: start more of that service (ops/scaling.md).',
          unit: 's',
          width: 8,
          lines: [by([names.step, names.lane], (by) => of.max(metrics.queueOldest, { by }))],
        }),
        graph({
          title: 'Event loop busy',
          about: 'Share of the time. Near 100 %: the process is at its end, start another one.',
          unit: 'percentunit',
          width: 8,
          lines: [by(['job'], (by) => of.max(metrics.loopUtilization, { by }))],
        }),
        graph({
          title: 'Memory of the largest process',
          about: 'ops/scaling.md says what each takes at rest.',
          unit: 'bytes',
          width: 8,
          lines: [by(['job'], (by) => of.max(metrics.memory, { by }))],
        }),
      ],
    },
    {
      title: 'What runs',
      panels: [
        graph({
          title: 'Processes',
          about: 'Of each service, by version. Two versions at a time: a release is under way.',
          unit: 'short',
          width: 12,
          lines: [by(['job', names.version, names.deployment], (by) => of.sum(metrics.buildInfo, { by }))],
        }),
        graph({
          title: 'Busiest customers',
          about: 'Jobs of the last five minutes. Empty where METRICS_BUSIEST_ORGANIZATIONS is not `on`.',
          unit: 'short',
          width: 12,
          lines: [by([names.orgId], (by) => of.max(metrics.busiestOrganizations, { by }))],
        }),
      ],
    },
  ],
})
