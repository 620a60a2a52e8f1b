import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onLoopback } from '#test/doubles/loopback-server.ts'

/** How often a job was polled, and how many of these polls the caller gave up. */
type Polls = { polls: number; givenUp: number }

/**
 * A stand-in for `/v1` with jobs that never end. Each video has one job, with the URL as its id. Polls of a job with
 * `silent` in its URL are not answered; others are answered at once.
 */
export async function startEndlessService() {
  const requests: string[] = []
  const jobs = new Map<string, Polls>()
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    answer(request, response, jobs).catch(() => response.destroy())
  })
  const { port, ...closing } = await onLoopback(server)
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    pollsOf: (url: string): Polls => jobs.get(url) ?? { polls: 0, givenUp: 0 },
    ...closing,
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, jobs: Map<string, Polls>): Promise<void> {
  const send = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  if (request.method === 'POST') {
    let body = ''
    for await (const chunk of request) body += chunk
    const { url } = JSON.parse(body) as { url: string }
    jobs.set(url, { polls: 0, givenUp: 0 })
    return send(202, { jobId: url, status: 'queued' })
  }
  const path = request.url ?? ''
  if (path.startsWith('/v1/jobs')) return send(200, { jobs: [], nextCursor: null })
  const jobId = decodeURIComponent(path.split('/').at(-1) ?? '')
  const polls = jobs.get(jobId)
  if (polls === undefined) return send(404, { error: 'not_found' })
  polls.polls++
  if (!jobId.includes('silent')) return send(200, { jobId, status: 'queued', resultJson: null, error: null })
  response.on('close', () => polls.givenUp++)
}
