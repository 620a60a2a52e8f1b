/** The few kinds of panels that the dashboards use. */
import { PanelBuilder as BarsBuilder } from '@grafana/grafana-foundation-sdk/bargauge'
import type { Builder } from '@grafana/grafana-foundation-sdk/cog'
import {
  BigValueColorMode,
  BigValueGraphMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizOrientation,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import {
  DashboardLinkBuilder,
  DashboardLinkType,
  type Panel,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat'
import { PanelBuilder as GraphBuilder } from '@grafana/grafana-foundation-sdk/timeseries'
import { prometheusLabel } from '#ops/prometheus/names.ts'
import { type Of, Queries } from '#ops/prometheus/query.ts'
import type { Histogram } from '#packages/telemetry/metrics.ts'
import { prometheus } from './datasources.ts'

/** Queries of a dashboard, for the services selected in it. */
export const of = new Queries({ jobs: '$job', window: '$__rate_interval' })

/** The time range of the dashboard. */
export const RANGE = '$__range'

/** A query and the name of its series: a text, or label values by `legendOf`. */
export type Line = readonly [expr: string, legend: string]

/** The value of an attribute in the name of a series. */
export const legendOf = (...attributes: string[]): string =>
  attributes.map((attribute) => `{{${prometheusLabel(attribute)}}}`).join(' ')

/** A series for each value of these attributes. */
export const by = (attributes: string[], exprOf: (attributes: string[]) => string): Line => [
  exprOf(attributes),
  legendOf(...attributes),
]

/** The times below which these shares of a histogram's values are, for each value of the attributes. */
export const quantiles = (shares: readonly number[], histogram: Histogram, options: Of = {}): Line[] =>
  shares.map((share) => [
    of.quantile(share, histogram, options),
    `${share * 100} % ${legendOf(...(options.by ?? []))}`.trimEnd(),
  ])

/** Grafana's name for a unit. */
export type Unit = 's' | 'reqps' | 'ops' | 'short' | 'percentunit' | 'bytes'

export type PanelOptions = {
  title: string
  /** What the panel shows, and what to do if it looks wrong. */
  about: string
  unit: Unit
  lines: readonly Line[]
  /** Width in columns, of 24. */
  width?: number
  /** Links: title and address. */
  links?: readonly (readonly [title: string, url: string])[]
}

export type StatOptions = PanelOptions & {
  /** The lowest yellow value, and the lowest red one. */
  warn?: number
  bad?: number
}

const target = ([expr, legend]: Line, at: number) =>
  new DataqueryBuilder()
    .refId(String.fromCharCode(65 + at))
    .datasource(prometheus)
    .expr(expr)
    .legendFormat(legend)

const links = (of: PanelOptions['links'] = []) =>
  of.map(([title, url]) => new DashboardLinkBuilder(title).type(DashboardLinkType.Link).url(url).targetBlank(true))

/** Values over time. */
export const graph = (options: PanelOptions): Builder<Panel> =>
  new GraphBuilder()
    .title(options.title)
    .description(options.about)
    .datasource(prometheus)
    .unit(options.unit)
    .min(0)
    .height(8)
    .span(options.width ?? 12)
    .fillOpacity(8)
    .links(links(options.links))
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.Table)
        .placement(LegendPlacement.Right)
        .showLegend(true)
        .calcs(['lastNotNull', 'max']),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi))
    .targets(options.lines.map(target))

function steps({ warn, bad }: StatOptions): Threshold[] {
  const above: Threshold[] = []
  if (warn !== undefined) above.push({ value: warn, color: 'yellow' })
  if (bad !== undefined) above.push({ value: bad, color: 'red' })
  return [{ value: null, color: above.length === 0 ? 'text' : 'green' }, ...above]
}

/** The newest value as a number. */
export const stat = (options: StatOptions): Builder<Panel> =>
  new StatBuilder()
    .title(options.title)
    .description(options.about)
    .datasource(prometheus)
    .unit(options.unit)
    .height(5)
    .span(options.width ?? 6)
    .links(links(options.links))
    .thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps(options)))
    .colorMode(BigValueColorMode.Background)
    .graphMode(BigValueGraphMode.None)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .targets(options.lines.map(target))

/** Sums over the time range, side by side. */
export const bars = (options: PanelOptions): Builder<Panel> =>
  new BarsBuilder()
    .title(options.title)
    .description(options.about)
    .datasource(prometheus)
    .unit(options.unit)
    .min(0)
    .height(9)
    .span(options.width ?? 12)
    .links(links(options.links))
    .orientation(VizOrientation.Horizontal)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .targets(options.lines.map((line, at) => target(line, at).instant()))
