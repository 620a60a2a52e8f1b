/** The parts of Prometheus's API that are used here. */

type Sample = [seconds: number, value: string]
export type Series = { metric: Record<string, string>; values: number[] }

/** One sample of a query, or several of a range. */
type Result = { metric: Record<string, string>; value?: Sample; values?: Sample[] }

const toSeries = ({ metric, value, values = [] }: Result): Series => ({
  metric,
  values: [...values, ...(value ? [value] : [])].map(([, text]) => Number(text)),
})

export class Prometheus {
  readonly #base: string

  constructor(base: string) {
    this.#base = base
  }

  /** @throws Error with Prometheus's message about the query */
  async #get<T>(path: string, parameters: Record<string, string>): Promise<T> {
    const response = await fetch(`${this.#base}/api/v1/${path}?${new URLSearchParams(parameters)}`, {
      signal: AbortSignal.timeout(30_000),
    })
    const { status, data, error } = (await response.json()) as { status: string; data: T; error?: string }
    if (status !== 'success') throw new Error(error)
    return data
  }

  async query(query: string): Promise<Series[]> {
    const { result } = await this.#get<{ result: Result[] }>('query', { query })
    return result.map(toSeries)
  }

  /** A value for each second. @param since seconds since 1970 */
  async queryRange(query: string, since: number): Promise<Series[]> {
    const range = { query, start: `${since}`, end: `${Date.now() / 1000}`, step: '1' }
    const { result } = await this.#get<{ result: Result[] }>('query_range', range)
    return result.map(toSeries)
  }

  /** The values that a label of a series has had. */
  labelValues(series: string, label: string, since: number): Promise<string[]> {
    return this.#get(`label/${label}/values`, { 'match[]': series, start: `${since}` })
  }

  /** Names of the alerts that fire. */
  async firing(): Promise<string[]> {
    const { alerts } = await this.#get<{ alerts: { labels: { alertname: string }; state: string }[] }>('alerts', {})
    return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
  }
}
