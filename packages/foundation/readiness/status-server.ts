import { serveProbes } from './probe-server.ts'
import type { Readiness } from './readiness.ts'

type Answer = [status: number, body: object]

const headers = { 'content-type': 'application/json; charset=utf-8' }

/**
 * Serves GET /health (the process lives) and GET /ready (it can do its work, or why not) for a service without its own
 * HTTP.
 * @param port 0: any free one
 */
export const serveStatus = (
  readiness: Readiness,
  at: { host: string; port: number },
): Promise<{ port: number } & AsyncDisposable> =>
  serveProbes(async ({ method, url }) => {
    const [status, body] = await answerTo(method, url, readiness)
    return { status, headers, text: JSON.stringify(body) }
  }, at)

async function answerTo(method = '', url = '', readiness: Readiness): Promise<Answer> {
  if (url !== '/health' && url !== '/ready') return [404, { error: 'not_found' }]
  if (method !== 'GET' && method !== 'HEAD') return [405, { error: 'method_not_allowed' }]
  if (url === '/health') return [200, { status: 'ok' }]
  const problems = await readiness.problems()
  if (problems.length > 0) return [503, { status: 'unready', problems }]
  return [200, { status: 'ready', warnings: readiness.warnings }]
}
