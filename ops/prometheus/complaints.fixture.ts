import { metrics } from '#packages/telemetry/metrics.ts'
import { prometheusLabel, seriesNames } from './names.ts'

/** The labels of each possible series, by its name. */
export type Known = ReadonlyMap<string, readonly string[]>

const ofEverySeries = ['job', 'instance']

/** The series of the service's own metrics, and Prometheus' own for alerts. */
export const exported: Known = new Map([
  ...Object.values(metrics).flatMap((metric) =>
    seriesNames(metric).map((name) => {
      const labels = [...ofEverySeries, ...metric.attributes.map(prometheusLabel)]
      return [name, name.endsWith('_bucket') ? [...labels, 'le'] : labels] as const
    }),
  ),
  ['ALERTS', ['alertname', 'alertstate', 'severity']],
])

const words = new Set(['and', 'or', 'unless', 'offset', 'bool'])
const grouping = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g
/** A name that is no function, perhaps followed by labels. Durations begin with a digit. */
const selector = /(?<![\w.$])([A-Za-z_:][\w:]*)(?!\w|:|\s*\()(?:\{([^}]*)\})?/g

const labelsIn = (text: string): string[] => text.match(/[A-Za-z_]\w*/g) ?? []

/** The series that a query reads, the labels that it requires of each, and its grouping labels. */
export function partsOf(expr: string): { series: { name: string; labels: string[] }[]; grouped: string[] } {
  const bare = expr.replaceAll(/"[^"]*"/g, '').replaceAll(/\[[^\]]*\]/g, '')
  const grouped = [...bare.matchAll(grouping)].flatMap(([, labels = '']) => labelsIn(labels))
  const series = [...bare.replaceAll(grouping, '').matchAll(selector)]
    .filter(([, name = '']) => !words.has(name))
    .map(([, name = '', labels = '']) => ({ name, labels: labelsIn(labels) }))
  return { series, grouped }
}

/** The problems of a query: unknown series, and labels that they do not have. */
export function complaintsAbout(expr: string, known: Known): string[] {
  const { series, grouped } = partsOf(expr)
  const read = new Set(series.flatMap(({ name }) => known.get(name) ?? []))
  return [
    ...(series.length === 0 ? ['reads no series'] : []),
    ...series.flatMap(({ name, labels }) => {
      const has = known.get(name)
      if (has === undefined) return [`${name} is no series`]
      return labels.filter((label) => !has.includes(label)).map((label) => `${name} has no label ${label}`)
    }),
    ...grouped.filter((label) => label !== '' && !read.has(label)).map((label) => `nothing has the label ${label}`),
  ]
}
