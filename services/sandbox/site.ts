/** One request that reached the sandbox, its TLS already taken off. */
export type SandboxRequest = {
  method: string
  url: URL
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  /** The user name given to the sandbox's proxy: which exit address a real site would see. */
  exit: string | undefined
}

/** A page that carries data: what tests delete one field of, and compare with recordings, is the data. */
export type SandboxPage = {
  data: object
  /** The page around the data, whatever is left of it. */
  render(data: object): string
}

export type SandboxAnswer = {
  status: number
  headers?: Record<string, string | string[]>
  /** Objects are sent as JSON. Ranges and HEAD are the sandbox's business, not the site's. */
  body?: string | Buffer | object
  /** In place of `body`, sent as HTML unless `headers` say otherwise. */
  page?: SandboxPage
}

/** A stand-in for one site of the outside world, in the shapes that the real one uses. */
export type Site = {
  /** Exact names of the real hosts, or `*.name` for any below. */
  hosts: readonly string[]
  /** undefined: 404 */
  answer(request: SandboxRequest): SandboxAnswer | undefined | Promise<SandboxAnswer | undefined>
}
