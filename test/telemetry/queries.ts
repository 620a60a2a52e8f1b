/** Checks that the queries of dashboards and alerts find something, over the whole run. */
import { type Alert, isAlert, ruleGroups } from '#ops/alerts/rules.ts'
import { partsOf } from '#ops/prometheus/complaints.fixture.ts'
import { seriesNames } from '#ops/prometheus/names.ts'
import { orZero } from '#ops/prometheus/query.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { HURRY } from './observers.ts'
import { type Choice, choices, type PanelQuery, panelQueries, runbookQueries } from './panels.ts'
import type { Prometheus, Series } from './prometheus.ts'

/** As in Grafana: four times the scrape interval, which is a second here, and one more. */
const RATE_INTERVAL = '5s'

const hasNumber = (all: readonly Series[]): boolean => all.some(({ values }) => values.some(Number.isFinite))

const withoutZero = (expr: string): string => (expr.endsWith(orZero('')) ? expr.slice(0, -orZero('').length) : expr)

const rangeSince = (since: number): string => `${Math.ceil(Date.now() / 1000 - since)}s`

export class AskedQueries {
  readonly #prometheus: Prometheus
  readonly #since: number

  /** @param since seconds since 1970 */
  constructor(prometheus: Prometheus, since: number) {
    this.#prometheus = prometheus
    this.#since = since
  }

  /** The titles of all dashboards. */
  get dashboards(): string[] {
    return [...new Set(this.#panels.map(({ dashboard }) => dashboard))]
  }

  get #panels(): PanelQuery[] {
    return panelQueries({ range: rangeSince(this.#since), rateInterval: RATE_INTERVAL })
  }

  /** @throws Error naming the queries of a dashboard and its choices that find nothing */
  async ofDashboard(title: string): Promise<string> {
    const queries = this.#panels.filter(({ dashboard }) => dashboard === title)
    const empty: string[] = []
    for (const query of queries) {
      const complaint = await this.#complaintAbout(query)
      if (complaint !== undefined) empty.push(`${query.panel}: ${complaint}: ${query.expr}`)
    }
    for (const choice of choices())
      if (choice.dashboard === title && (await this.offered(choice)).length === 0)
        empty.push(`$${choice.variable} offers nothing`)
    if (empty.length > 0) throw new Error(`\n  ${empty.join('\n  ')}`)
    return `${queries.length} queries`
  }

  /**
   * Every query of every runbook finds something. A query may find nothing if nothing is wrong (a comparison, a rate of
   * something that never happened). Then each series that it reads must have existed.
   * @throws Error naming the others
   */
  async ofRunbooks(): Promise<string> {
    const queries = runbookQueries()
    const blind: string[] = []
    for (const { runbook, expr } of queries) {
      if ((await this.#complaintAbout({ expr, isInstant: false })) === undefined) continue
      await this.#prometheus.query(expr)
      const missing = await this.#missing(partsOf(expr).series.map(({ name }) => name))
      if (missing.length > 0) blind.push(`${runbook}: ${expr} reads ${missing.join(', ')}`)
    }
    if (blind.length > 0) throw new Error(`there are no series of\n  ${blind.join('\n  ')}`)
    return `${queries.length} queries`
  }

  /** The values that a variable offers. */
  async offered({ series, label, part }: Choice): Promise<string[]> {
    const values = await this.#prometheus.labelValues(series, label, this.#since)
    return part === undefined ? values : values.flatMap((value) => part.exec(value)?.[1] ?? [])
  }

  async #complaintAbout({
    expr: asked,
    isInstant,
  }: Pick<PanelQuery, 'expr' | 'isInstant'>): Promise<string | undefined> {
    // The 0 that replaces a missing result would hide that nothing is found.
    const expr = withoutZero(asked)
    try {
      const found = isInstant
        ? await this.#prometheus.query(expr)
        : await this.#prometheus.queryRange(expr, this.#since)
      return hasNumber(found) ? undefined : 'no data'
    } catch (error) {
      return (error as Error).message
    }
  }

  /** Every alert has fired, or reads only series that exist. @throws Error naming the others */
  async ofAlerts(): Promise<string> {
    const fired = await this.#firedAlerts()
    const alerts = ruleGroups({ dividedBy: HURRY }).flatMap(({ rules }) => rules.filter(isAlert))
    const blind: string[] = []
    for (const { alert, expr, labels } of alerts) {
      // Also if it has fired, because a mistake in the query is an error of its own.
      await this.#prometheus.query(expr)
      if (fired.has(nameOf(alert, labels.burn))) continue
      const missing = await this.#missing(partsOf(expr).series.map(({ name }) => name))
      if (missing.length > 0) blind.push(`${alert} reads ${missing.join(', ')}`)
    }
    if (blind.length > 0) throw new Error(`there are no series of\n  ${blind.join('\n  ')}`)
    return `${alerts.length} alerts; fired: ${[...fired].join(', ')}`
  }

  /** Every metric has been seen. @throws Error naming the others */
  async ofMetrics(): Promise<string> {
    const all = Object.values(metrics)
    const missing: string[] = []
    const still: string[] = []
    for (const metric of all) {
      if ((await this.#missing(seriesNames(metric))).length > 0) missing.push(metric.name)
      else if (!(await this.#hasMoved(seriesNames(metric).at(-1) ?? ''))) still.push(metric.name)
    }
    if (missing.length > 0) throw new Error(`there are no series of\n  ${missing.join('\n  ')}`)
    return `${all.length} metrics; always 0: ${still.join(', ') || 'none'}`
  }

  async #hasMoved(name: string): Promise<boolean> {
    const found = await this.#prometheus.query(`max(max_over_time(${name}[${rangeSince(this.#since)}])) > 0`)
    return found.length > 0
  }

  /** The names without a series. */
  async #missing(names: readonly string[]): Promise<string[]> {
    const range = rangeSince(this.#since)
    const missing: string[] = []
    for (const name of new Set(names))
      if ((await this.#prometheus.query(`last_over_time(${name}[${range}])`)).length === 0) missing.push(name)
    return missing
  }

  async #firedAlerts(): Promise<Set<string>> {
    const found = await this.#prometheus.queryRange('ALERTS{alertstate="firing"}', this.#since)
    return new Set(found.map(({ metric }) => nameOf(metric.alertname ?? '', metric.burn as Burn)))
  }
}

type Burn = Alert['labels']['burn']

const nameOf = (alert: string, burn: Burn): string => (burn === undefined ? alert : `${alert} (${burn})`)
