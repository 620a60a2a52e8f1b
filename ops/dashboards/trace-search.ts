import { traces } from './datasources.ts'

export type TraceSearch = {
  /** The service that exported the span. */
  service: string
  /** The name of the span. */
  operation: string
  /** Attributes and their values. */
  tags?: Readonly<Record<string, string>>
  /** `30s` */
  minDuration?: string
}

/**
 * Grafana's address of a search for traces in the dashboard's time range. Grafana fills in the dashboard's variables,
 * `${name}` or `${name:percentencode}`, when the link is followed.
 */
export function traceSearch({ tags = {}, ...search }: TraceSearch): string {
  const logfmt = Object.entries(tags).map(([name, value]) => `${name}=${value}`)
  const query = { refId: 'A', datasource: traces, queryType: 'search', ...search, tags: logfmt.join(' '), limit: 50 }
  const range = { from: variable('__from'), to: variable('__to') }
  const panes = JSON.stringify({ jobs: { datasource: traces.uid, queries: [query], range } })
  // Encode everything except the variables.
  const encoded = encodeURIComponent(panes).replaceAll(/%24%7B(\w+)(%3A\w+)?%7D/g, (found) => decodeURIComponent(found))
  return `/explore?schemaVersion=1&orgId=1&panes=${encoded}`
}

/** A dashboard's variable in Grafana's syntax. */
export const variable = (name: string): string => `\${${name}}`
