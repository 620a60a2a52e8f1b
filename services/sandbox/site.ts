/** One request that reached the sandbox, without TLS. */
export type SandboxRequest = {
  method: string
  url: URL
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  /** The user name for the sandbox's proxy, which stands for the exit address that a real site would see. */
  exit: string | undefined
}

/** A page that carries data. Tests remove fields from the data, and compare it with recordings. */
export type SandboxPage = {
  data: object
  /** Renders the page with its data, even if fields were removed. */
  render(data: object): string
}

export type SandboxAnswer = {
  status: number
  headers?: Record<string, string | string[]>
  /** Objects are sent as JSON. The sandbox, not the site, handles ranges and HEAD. */
  body?: string | Buffer | object
  /** Replaces `body`. Sent as HTML unless `headers` say otherwise. */
  page?: SandboxPage
}

/** A stand-in for one site of the outside world. Its answers have the shapes of the real ones. */
export type Site = {
  /** Exact names of the real hosts, or `*.name` for any name below. */
  hosts: readonly string[]
  /** Undefined: 404. */
  answer(request: SandboxRequest): SandboxAnswer | undefined | Promise<SandboxAnswer | undefined>
}

export const fileOf = ({ type, body }: { type: string; body: string | Buffer | object }): SandboxAnswer => ({
  status: 200,
  headers: { 'content-type': type },
  body,
})

export const redirectTo = (location: string, status = 302): SandboxAnswer => ({ status, headers: { location } })

/** True if a request has the cookie of an account of TikTok or Instagram. */
export const isSignedIn = ({ headers }: SandboxRequest): boolean => /\bsessionid=/.test(String(headers.cookie ?? ''))
