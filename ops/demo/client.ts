/** The service answered with an error. */
class RefusedError extends Error {
  readonly code = 'refused'
}

export type Segment = { start: number; end: number; text: string }
export type Transcript = { text: string; language: string | null; source: string; segments: Segment[] }
export type Job = {
  jobId: string
  status: 'queued' | 'completed' | 'failed'
  resultJson: Transcript | null
  error: { code: string; message: string } | null
}

export type Client = ReturnType<typeof clientOf>

/** The calls that the demo makes. `timeoutMs` may be set for each. */
export function clientOf(base: string, key: string, timeoutMs = 10_000) {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(base + path, {
      method,
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    if (!response.ok) throw new RefusedError(`${method} ${path} was answered ${response.status}: ${text}`)
    return JSON.parse(text) as T
  }
  return {
    /** A read that the service answers at once. */
    read: <T>(path: string): Promise<T> => call<T>('GET', path),
    credits: async (): Promise<number> => (await call<{ creditsRemaining: number }>('GET', '/v1/me')).creditsRemaining,
    ask: (body: { url: string; mode: string; lang?: string }) =>
      call<{ jobId: string; status: string }>('POST', '/v1/transcript', body),
    poll: (jobId: string) => call<Job>('GET', `/v1/transcript/${jobId}`),
  }
}
