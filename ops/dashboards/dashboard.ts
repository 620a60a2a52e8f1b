import type { Builder } from '@grafana/grafana-foundation-sdk/cog'
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  type Panel,
  QueryVariableBuilder,
  RowBuilder,
  type VariableModel,
  VariableRefresh,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { prometheusLabel, seriesNames } from '#ops/prometheus/names.ts'
import { everyJob } from '#ops/prometheus/query.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import type { Metric } from '#packages/telemetry/prometheus-name.ts'
import { prometheus } from './datasources.ts'

export type Row = { title: string; panels: readonly Builder<Panel>[] }

export type DashboardOptions = {
  /** Gives the file and the address their name: `video-NAME`. */
  name: string
  title: string
  about: string
  variables?: readonly Builder<VariableModel>[]
  rows: readonly Row[]
}

/** The values of a metric's label. */
export const valuesOf = (name: string, label: string, metric: Metric, attribute: string) =>
  new QueryVariableBuilder(name)
    .label(label)
    .datasource(prometheus)
    .query(`label_values(${seriesNames(metric).at(-1)}, ${prometheusLabel(attribute)})`)
    .refresh(VariableRefresh.OnTimeRangeChanged)

/** A choice among the values of a metric's label. All are selected at first. @param all the pattern that matches all */
export const choiceOf = (name: string, label: string, metric: Metric, attribute: string, all = '.*') =>
  valuesOf(name, label, metric, attribute)
    .multi(true)
    .includeAll(true)
    .allValue(all)
    .current({ selected: true, text: ['All'], value: ['$__all'] })

/** One dashboard in Grafana's format. */
export function dashboard({ name, title, about, variables = [], rows }: DashboardOptions): Dashboard {
  const builder = new DashboardBuilder(title)
    .uid(`video-${name}`)
    .description(about)
    .tags(['video-intelligence'])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: 'now-3h', to: 'now' })
    .refresh('30s')
    .timezone('utc')
    .link(
      new DashboardLinkBuilder('Dashboards')
        .type(DashboardLinkType.Dashboards)
        .tags(['video-intelligence'])
        .keepTime(true),
    )
    .variables([choiceOf('job', 'Service', metrics.buildInfo, 'job', everyJob), ...variables])
  for (const row of rows) {
    builder.withRow(new RowBuilder(row.title))
    for (const panel of row.panels) builder.withPanel(panel)
  }
  return builder.build()
}
