import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Group } from '#ops/alerts/rules.ts'
import { prometheusLabel, seriesNames } from '#ops/prometheus/names.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { promtoolEnvironment } from '../promtool.ts'
import { temporaryDirectory } from '../temporary-directory.ts'
import { attributesOf, type Exported, type MetricJson, type Point } from './receiver.ts'

/** Older exports are forgotten: no alert of a game day looks back further. */
const MAX_EXPORTS = 60

type Labels = Record<string, string>
export type Sample = { labels: Labels; value: number }

const byName = new Map(Object.values(metrics).map((metric) => [metric.name as string, metric]))

/**
 * A service's exports, as Prometheus has them after a collector, for queries with promtool. Each export is one scrape.
 */
export class RecordedSeries {
  readonly #stepMs: number
  readonly #exports: Map<string, number>[] = []

  /** @param stepMs between two exports */
  constructor(stepMs: number) {
    this.#stepMs = stepMs
  }

  get isRecorded(): boolean {
    return this.#exports.length > 0
  }

  /** Takes one export of one process. */
  take(exported: readonly Exported[]): void {
    const samples = new Map<string, number>()
    for (const { resource, scopeMetrics } of exported) {
      const {
        'service.name': name,
        'service.namespace': of,
        'service.instance.id': id,
      } = attributesOf(resource?.attributes)
      const own = { job: `${of}/${name}`, instance: String(id) }
      for (const metric of scopeMetrics.flatMap((scope) => scope.metrics))
        for (const { labels, value } of samplesOf(metric)) samples.set(written({ ...labels, ...own }), value)
    }
    this.#exports.push(samples)
    if (this.#exports.length > MAX_EXPORTS) this.#exports.shift()
  }

  /**
   * Prometheus's current answer to each query, with rules. Their alerts are the series ALERTS.
   * @throws Error with promtool's message about a query that it cannot read
   */
  async ask(groups: readonly Group[], questions: readonly string[]): Promise<Sample[][]> {
    const rules = stringify({ groups })
    await using folder = await temporaryDirectory()
    await writeFile(join(folder.path, 'rules.yaml'), rules)
    await writeFile(join(folder.path, 'test.yaml'), stringify(this.#testOf(rules, questions), { lineWidth: 0 }))
    const printed = await toldByPromtool(folder.path)
    const found = [...printed.matchAll(/^ +expr: (".*"), time: .*\n +exp: ?nil\n +got: ?(.*)$/gm)]
    const answers = new Map(found.map(([, expr = '', got = '']) => [JSON.parse(expr) as string, samplesIn(got)]))
    return questions.map((question) => answers.get(question) ?? [])
  }

  #testOf(rules: string, questions: readonly string[]): object {
    const step = `${this.#stepMs}ms`
    const named = new Set([rules, ...questions].flatMap((text) => text.match(/\w+/g) ?? []))
    const all = new Set(
      this.#exports.flatMap((samples) =>
        [...samples.keys()].filter((series) => named.has(/^\w+/.exec(series)?.[0] ?? '')),
      ),
    )
    const input_series = Array.from(all, (series) => ({
      series,
      values: this.#exports.map((samples) => samples.get(series) ?? '_').join(' '),
    }))
    const eval_time = `${Math.max(0, this.#exports.length - 1) * this.#stepMs}ms`
    const promql_expr_test = questions.map((expr) => ({ expr, eval_time, exp_samples: [] }))
    return {
      rule_files: ['rules.yaml'],
      evaluation_interval: step,
      tests: [{ interval: step, input_series, promql_expr_test }],
    }
  }
}

/**
 * promtool's output about the test in a folder, also if the test finds something unexpected. @throws Error if it cannot
 * read the test
 */
function toldByPromtool(folder: string): Promise<string> {
  const env = promtoolEnvironment()
  return new Promise((resolve, reject) =>
    execFile(
      'promtool',
      ['test', 'rules', 'test.yaml'],
      { cwd: folder, env, maxBuffer: 10_000_000 },
      (_, stdout, stderr) => {
        const printed = stdout + stderr
        if (/\berr(or)?:/.test(printed)) reject(new Error(printed))
        else resolve(printed)
      },
    ),
  )
}

function samplesOf({ name, sum, gauge, histogram }: MetricJson): Sample[] {
  const metric = byName.get(name)
  if (metric === undefined) return []
  const [first = '', ...others] = seriesNames(metric)
  const points = (sum ?? gauge ?? histogram)?.dataPoints ?? []
  return points.flatMap((point) => {
    const labels = Object.fromEntries(
      Object.entries(attributesOf(point.attributes)).map(([label, value]) => [prometheusLabel(label), String(value)]),
    )
    if (histogram === undefined)
      return [{ labels: { __name__: first, ...labels }, value: Number(point.asDouble ?? point.asInt) }]
    const whole = [point.count, point.sum ?? 0].map(Number)
    const ofAll = others.map((name, at) => ({ labels: { __name__: name, ...labels }, value: whole[at] ?? Number.NaN }))
    return [
      ...bucketsOf(point).map(({ le, value }) => ({ labels: { __name__: first, ...labels, le }, value })),
      ...ofAll,
    ]
  })
}

/** In Prometheus each bucket also counts what is in the smaller ones. */
function bucketsOf({ bucketCounts = [], explicitBounds = [] }: Point): { le: string; value: number }[] {
  let value = 0
  return bucketCounts.map((own, at) => {
    value += Number(own)
    return { le: String(explicitBounds[at] ?? '+Inf'), value }
  })
}

function written({ __name__, ...labels }: Labels): string {
  const pairs = Object.entries(labels).sort()
  return `${__name__}{${pairs.map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(',')}}`
}

/** Parses `{a="b", c="d"} 1E+00, {…} 0E+00`. */
const samplesIn = (got: string): Sample[] =>
  [...got.matchAll(/\{((?:\w+="(?:[^"\\]|\\.)*"(?:, )?)*)\} ([^\s,]+)/g)].map(([, inside = '', value]) => ({
    labels: Object.fromEntries(
      [...inside.matchAll(/(\w+)=("(?:[^"\\]|\\.)*")/g)].map(([, label, text = '']) => [
        label,
        JSON.parse(text) as string,
      ]),
    ),
    value: Number(value),
  }))
