/**
 * The queries of the dashboards, read from the files that Grafana reads, in the form in which Grafana sends them; and
 * the queries of the runbooks.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

type Target = { expr?: string; instant?: boolean }
type Link = { title?: string; url?: string }
type Panel = { title?: string; type: string; targets?: Target[]; links?: Link[]; panels?: Panel[] }
type Variable = {
  name: string
  type: string
  query?: string
  regex?: string
  includeAll?: boolean
  allValue?: string
  current?: { value: unknown }
}
type Dashboard = { title: string; panels?: Panel[]; templating?: { list?: Variable[] } }

export type PanelQuery = { dashboard: string; panel: string; expr: string; isInstant: boolean }
/** A search of Grafana's Jaeger source, which a link of a panel opens. */
export type TraceSearch = {
  dashboard: string
  title: string
  service: string
  operation: string
  /** `name=value`, with blanks between them. */
  tags: string
  minDuration?: string
}
/** The choices of a variable: the values of a label of a series. */
export type Choice = {
  dashboard: string
  variable: string
  series: string
  label: string
  /** The part of a value that is offered: the first group; without it, all. */
  part?: RegExp
}

/** The shown time and the window of rates, as Grafana writes durations. */
export type Shown = { range: string; rateInterval: string }

const dashboards = (): Dashboard[] =>
  globSync('ops/dashboards/json/*.json').map((path) => JSON.parse(readFileSync(path, 'utf8')) as Dashboard)

const panelsOf = (panels: readonly Panel[] = []): Panel[] =>
  panels.flatMap((panel) => [panel, ...panelsOf(panel.panels)])

/** The value of a variable when a dashboard is opened. */
function initialValue({ includeAll, allValue, current }: Variable): string {
  if (includeAll) return allValue ?? '.*'
  return String(current?.value ?? '')
}

/** @throws Error for a variable without a value */
function filled(text: string, variables: readonly Variable[], values: Readonly<Record<string, string>>): string {
  const all = new Map(variables.map((variable) => [variable.name, initialValue(variable)]))
  for (const [name, value] of Object.entries(values)) all.set(name, value)
  return text.replaceAll(/\$(?:\{(\w+)(?::\w+)?\}|(\w+))/g, (_, braced: string, bare: string) => {
    const value = all.get(braced ?? bare)
    if (value === undefined) throw new Error(`nothing fills in ${braced ?? bare}`)
    return value
  })
}

export const panelQueries = ({ range, rateInterval }: Shown): PanelQuery[] =>
  dashboards().flatMap(({ title: dashboard, panels, templating }) =>
    panelsOf(panels).flatMap(({ title: panel = '', targets = [] }) =>
      targets.flatMap(({ expr: asked, instant: isInstant = false }) => {
        if (asked === undefined) return []
        const expr = filled(asked, templating?.list ?? [], { __range: range, __rate_interval: rateInterval })
        return [{ dashboard, panel, expr, isInstant }]
      }),
    ),
  )

export type RunbookQuery = { runbook: string; expr: string }

/** Every query of every runbook, and of their README: each line of the blocks that are marked `promql`. */
export const runbookQueries = (): RunbookQuery[] =>
  globSync('ops/runbooks/*.md').flatMap((path) =>
    queriesIn(readFileSync(path, 'utf8')).map((expr) => ({ runbook: basename(path), expr })),
  )

/** The queries in the text of a runbook. */
export const queriesIn = (text: string): string[] =>
  [...text.matchAll(/^```promql\n(.+?)\n```/gms)].flatMap(([, lines = '']) => lines.split('\n'))

export const choices = (): Choice[] =>
  dashboards().flatMap(({ title: dashboard, templating }) =>
    (templating?.list ?? []).flatMap(({ name: variable, type, query = '', regex }) => {
      if (type !== 'query') return []
      const [, series, label] = /^label_values\((.+), *(\w+)\)$/.exec(query) ?? []
      if (series === undefined || label === undefined) throw new Error(`${variable} asks ${query}`)
      const part = regex ? new RegExp(regex.replace(/^\/(.*)\/$/, '$1')) : undefined
      return [{ dashboard, variable, series, label, ...(part && { part }) }]
    }),
  )

/** Every search that a panel links to, once. @param values what a person has typed in */
export function traceSearches(values: Readonly<Record<string, string>>): TraceSearch[] {
  const links = dashboards().flatMap(({ title: dashboard, panels, templating }) =>
    panelsOf(panels).flatMap(({ links = [] }) =>
      links.flatMap(({ title = '', url = '' }) => {
        const address = filled(url, templating?.list ?? [], { ...values, __from: 'now-1h', __to: 'now' })
        const panes = new URL(address, 'http://grafana').searchParams.get('panes')
        if (panes === null) return []
        const { jobs } = JSON.parse(panes) as { jobs: { queries: [Omit<TraceSearch, 'dashboard' | 'title'>] } }
        return [{ ...jobs.queries[0], dashboard, title }]
      }),
    ),
  )
  return [...new Map(links.map((link) => [`${link.dashboard}/${link.title}`, link])).values()]
}
