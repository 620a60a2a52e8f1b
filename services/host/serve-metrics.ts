import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Config } from '#packages/foundation/config/config.ts'
import { type ProbeAnswer, serveProbes } from '#packages/foundation/readiness/probe-server.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { listeningAt } from './listening-at.ts'

/** The version of Prometheus' text format. */
const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const plain = (status: number, text: string, headers = {}): ProbeAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  text: `${text}\n`,
})

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares in constant time. */
const presents = ({ headers }: IncomingMessage, token: string): boolean =>
  timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`))

type Served = Pick<Config, 'metricsPort' | 'metricsHost' | 'metricsToken'>

/** Serves GET /metrics on METRICS_PORT, if it is set. @param scrape returns all values in Prometheus' text format */
export async function serveMetrics(
  { metricsPort, metricsHost, metricsToken }: Served,
  scrape: (() => Promise<string>) | undefined,
  log: Logger,
): Promise<AsyncDisposable | undefined> {
  if (metricsPort === undefined || scrape === undefined) return undefined
  const answer = async (request: IncomingMessage): Promise<ProbeAnswer> => {
    if (request.url !== '/metrics') return plain(404, 'not found')
    if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'method not allowed')
    if (metricsToken !== undefined && !presents(request, metricsToken))
      return plain(401, 'METRICS_TOKEN is asked for', { 'www-authenticate': 'Bearer' })
    return { status: 200, headers: { 'content-type': TEXT_TYPE }, text: await scrape() }
  }
  const served = await listeningAt(
    'METRICS_HOST and METRICS_PORT',
    serveProbes(answer, { host: metricsHost, port: metricsPort }),
  )
  log.info({ host: metricsHost, port: served.port }, 'metrics are served')
  return served
}
