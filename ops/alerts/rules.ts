/** Rules for Prometheus: the recorded series and the alerts. */
import { stringify } from 'yaml'
import { prometheusLabel } from '#ops/prometheus/names.ts'
import { everyJob, orZero, Queries } from '#ops/prometheus/query.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import { durationOf } from './durations.ts'
import { burns, countings, type Objective, objectives, type Recording, recordOf } from './objectives.ts'

export type RuleOptions = {
  /** Divides every window and every waiting time, such as by 60 for a test on a running service. */
  dividedBy?: number
}

export type Alert = {
  alert: string
  expr: string
  for?: string
  labels: { severity: 'page' | 'ticket'; burn?: string }
  annotations: { summary: string; runbook: string }
}

export type Rule = Recording | Alert

export type Group = { name: string; interval?: string; rules: Rule[] }

const MINUTE = 60
const HOUR = 3600

const of = new Queries({ jobs: everyJob, window: '' })

/** The path of an alert's runbook: `ops/runbooks/jobs-late.md`. */
export const runbookOf = (alert: string): string =>
  `ops/runbooks/${alert.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()}.md`

const annotations = (alert: string, summary: string) => ({ summary, runbook: runbookOf(alert) })

function burnRules(objective: Objective): Rule[] {
  const { alert, budget, promise, failed, counted } = objective
  const records = burns
    .flatMap(({ long, short }) => [long, short])
    .map(({ name }): Recording => {
      const expr = `(${orZero(failed(name))}) / (${counted(name)} > 0)`
      return { record: recordOf(objective, name), expr }
    })
  const alerts = burns.map(({ burn, factor, long, short }): Alert => {
    const above = Number((factor * budget).toPrecision(3))
    const summary = `${promise}: not kept, {{ $value | humanizePercentage }} of the last ${long.name} failed`
    return {
      alert,
      expr: [long, short].map(({ name }) => `${recordOf(objective, name)} > ${above}`).join(' and '),
      labels: { severity: 'page', burn },
      annotations: annotations(alert, summary),
    }
  })
  return [...records, ...alerts]
}

/**
 * The media cache leaves 1 GiB free, or a twentieth of a smaller disk. So the cache alone never triggers an alert at
 * half of that.
 */
const FEW_BYTES = 512 * 1_048_576
const SMALL_SHARE = 1 / 40

function diskFull(): string {
  const by = { by: ['job', 'instance', names.folder] }
  const [free, size] = [of.min(metrics.diskFree, by), of.min(metrics.diskSize, by)]
  return `${free} < ${FEW_BYTES} and ${free} < ${SMALL_SHARE} * ${size}`
}

/** An alert. `after`: for how long its query must find something, seconds. It pages unless it is a ticket. */
type Cause = { alert: string; expr: string; after?: number; severity?: 'page' | 'ticket'; summary: string }

/** Causes that need a person, and failures that the service levels cannot see. */
function causes(time: (seconds: number) => string, age: (seconds: number) => number): Alert[] {
  const range = { range: time(10 * MINUTE), hour: time(HOUR) }
  const before = { from: time(15 * MINUTE), until: time(5 * MINUTE) }
  const accepted = of.growth(metrics.jobsAccepted, { ...range, before })
  const refused = of.rate(
    metrics.readDuration,
    { by: [names.platform], where: { [names.outcome]: 'platform_blocked' } },
    time(5 * MINUTE),
  )
  const [platform, job] = [prometheusLabel(names.platform), 'job']
  const buildInfo = of.series(metrics.buildInfo)
  // FeedLag covers followers.
  const notFollower = { [names.dependency]: { not: ['the follower .+'] } }
  const found: Cause[] = [
    {
      alert: 'JobsNotEnding',
      expr: `(${accepted} > 0 unless ${of.growth(metrics.jobsFinished, range)} > 0) or ${of.max(metrics.jobsOverdue)} > 0`,
      after: 2 * MINUTE,
      summary: 'Jobs are accepted and none ends, or they are open past their deadline',
    },
    {
      // Above a third of the window the ingress refuses new jobs. The waiting jobs have the rest of it, and values are
      // up to 90 s old.
      alert: 'StepsWaiting',
      expr: `${of.max(metrics.queueOldest, { by: [names.step, names.lane] })} > scalar(${of.max(metrics.jobsWindow)}) / 3`,
      summary:
        'The oldest step {{ $labels.video_step }} in the lane {{ $labels.video_lane }} has waited for {{ $value | humanizeDuration }}',
    },
    {
      alert: 'DependencyDown',
      expr: `${of.min(metrics.dependencyUp, { by: [names.dependency], where: notFollower })} == 0`,
      after: MINUTE,
      summary: 'A service is not ready: {{ $labels.video_dependency }}',
    },
    {
      alert: 'DiskFull',
      expr: diskFull(),
      after: MINUTE,
      summary: 'The disk of {{ $labels.video_folder }} of {{ $labels.job }} has {{ $value | humanize1024 }}B left',
    },
    {
      alert: 'CreditsUnsettled',
      expr: `${of.max(metrics.creditsUnsettledOldest)} > ${age(10 * MINUTE)}`,
      severity: 'ticket',
      summary: 'A debit has been open for {{ $value | humanizeDuration }} past its job',
    },
    {
      alert: 'FeedLag',
      expr: `${of.max(metrics.feedLag, { by: [job, names.follower] })} > ${age(30)}`,
      after: MINUTE,
      summary: '{{ $labels.video_follower }} has been behind the events for {{ $value | humanizeDuration }}',
    },
    {
      alert: 'NoOwner',
      expr: `${of.sum(metrics.orchestratorOwner)} < 1`,
      after: MINUTE,
      summary: 'No orchestrator moves jobs on',
    },
    {
      alert: 'ViewsBehind',
      expr: `${of.sum(metrics.viewsOwner)} < 1`,
      after: MINUTE,
      summary: 'The views do not show the newest events, or no process updates them',
    },
    {
      alert: 'WebhooksWaiting',
      expr: `${of.sum(metrics.webhooksOwner)} < 1`,
      after: 5 * MINUTE,
      summary: 'No process delivers to webhooks',
    },
    {
      alert: 'BatchesWaiting',
      expr: `${of.sum(metrics.batchesOwner)} < 1`,
      after: 5 * MINUTE,
      summary: 'No process moves batches on',
    },
    {
      alert: 'WatchesWaiting',
      expr: `${of.sum(metrics.watchesOwner)} < 1`,
      after: 30 * MINUTE,
      severity: 'ticket',
      summary: 'No process looks for new videos',
    },
    {
      alert: 'DeadLetters',
      expr: `${of.growth(metrics.deadLetters, range, { by: [names.step] })} > 0`,
      severity: 'ticket',
      summary: 'Messages of {{ $labels.video_step }} were set aside',
    },
    {
      alert: 'ClockSkew',
      expr: `${of.max(metrics.clockAhead, { by: [job, 'instance'] })} > 2`,
      after: MINUTE,
      severity: 'ticket',
      summary: 'Clocks differ: events are {{ $value | humanizeDuration }} ahead of the clock of {{ $labels.job }}',
    },
    {
      alert: 'PlatformRefuses',
      expr: `${of.sum(metrics.breakers, { by: [names.platform] })} > 0 and on (${platform}) ${refused} > 0`,
      after: 5 * MINUTE,
      severity: 'ticket',
      summary: '{{ $labels.video_platform }} refuses to answer us',
    },
    {
      alert: 'TelemetrySilent',
      expr: `absent(${buildInfo})`,
      after: 2 * MINUTE,
      summary: 'No process exports anything: whether jobs end is not known',
    },
    {
      alert: 'ServiceSilent',
      expr: `group by (${job}) (last_over_time(${buildInfo}[${time(HOUR)}])) unless on (${job}) group by (${job}) (${buildInfo})`,
      after: 2 * MINUTE,
      summary: 'No process of {{ $labels.job }} exports anything any more',
    },
  ]
  return found.map(
    ({ alert, expr, after, severity = 'page', summary }): Alert => ({
      alert,
      expr,
      ...(after !== undefined && { for: time(after) }),
      labels: { severity },
      annotations: annotations(alert, summary),
    }),
  )
}

/** All groups of rules. */
export function ruleGroups({ dividedBy = 1 }: RuleOptions = {}): Group[] {
  const time = (seconds: number): string => durationOf(seconds / dividedBy)
  const age = (seconds: number): number => seconds / dividedBy
  const interval = time(30)
  return [
    { name: 'service_levels', interval, rules: [...countings(time), ...objectives.flatMap(burnRules)] },
    { name: 'causes', interval, rules: causes(time, age) },
  ]
}

export const isAlert = (rule: Rule): rule is Alert => 'alert' in rule

/** The rules as Prometheus reads them. */
export const ruleFile = (options: RuleOptions = {}): string =>
  `# Written by \`npm run alerts\` from ops/alerts/rules.ts. Do not edit.\n${stringify({ groups: ruleGroups(options) }, { lineWidth: 0 })}`
