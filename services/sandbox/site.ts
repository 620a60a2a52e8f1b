/** One request that reached the sandbox, without TLS. */
export type SandboxRequest = {
  method: string
  url: URL
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  /** The user name given to the sandbox's proxy: which exit address a real site would see. */
  exit: string | undefined
}

/** A page that carries data. Tests remove fields from the data, and compare it with recordings. */
export type SandboxPage = {
  data: object
  /** Renders the page with its data, also where fields were removed. */
  render(data: object): string
}

export type SandboxAnswer = {
  status: number
  headers?: Record<string, string | string[]>
  /** Objects are sent as JSON. The sandbox handles ranges and HEAD, not the site. */
  body?: string | Buffer | object
  /** In place of `body`, sent as HTML unless `headers` say otherwise. */
  page?: SandboxPage
}

/** A stand-in for one site of the outside world. Its answers have the shapes of the real ones. */
export type Site = {
  /** Exact names of the real hosts, or `*.name` for any below. */
  hosts: readonly string[]
  /** undefined: 404 */
  answer(request: SandboxRequest): SandboxAnswer | undefined | Promise<SandboxAnswer | undefined>
}
