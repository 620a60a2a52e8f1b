/** The answer to a visitor. `to`: the target of a redirect, below the dashboard. `text`: the visible text. */
export type Seen = { status: number; to: string | undefined; html: string; text: string; headers: Headers }

/** A valid password: long, and not a common one. */
export const PASSWORD = 'nine green umbrellas on a roof'

/** The headers that a browser sends with a form of our own pages. */
export const fromOurPage: Record<string, string> = { 'sec-fetch-site': 'same-origin' }

/**
 * A visitor with a browser: keeps cookies, and sends forms as the pages do. Follows a redirect only if it leads to the
 * outcome of a form.
 */
export class TestVisitor {
  readonly cookies = new Map<string, string>()
  readonly #base: string
  readonly #root: string

  constructor(base: string, root: string) {
    this.#base = base
    this.#root = root
  }

  /** The `Cookie` header of its requests; '' without cookies. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Seen> {
    return this.#ask(path, { headers })
  }

  async post(path: string, form: Record<string, string> = {}, headers = fromOurPage): Promise<Seen> {
    const answer = await this.send(path, form, headers)
    const leadsToPage = answer.headers.getSetCookie().some((cookie) => /^__Host-flash=[^;]/.test(cookie))
    return leadsToPage && answer.to !== undefined ? this.get(answer.to) : answer
  }

  /** The direct answer to a form. */
  send(path: string, form: Record<string, string> = {}, headers: Record<string, string> = fromOurPage): Promise<Seen> {
    return this.#ask(path, { method: 'POST', headers, body: new URLSearchParams(form) })
  }

  /** Signs up with the form. @throws Error with the answer if that shows no key */
  async signUp(email: string, organization = 'Acme'): Promise<{ orgId: string; key: string }> {
    const { status, html, text } = await this.post('/sign-up', { organization, email, password: PASSWORD })
    const [, orgId = ''] = /\/org\/([\w-]+)/.exec(html) ?? []
    const [key = ''] = /ma_\w+/.exec(html) ?? []
    if (key === '') throw new Error(`the sign-up was answered ${status}: ${text.slice(0, 300)}`)
    return { orgId, key }
  }

  async #ask(path: string, request: RequestInit): Promise<Seen> {
    const { cookie } = this
    const headers = { ...(cookie !== '' && { cookie }), ...(request.headers as Record<string, string>) }
    const answer = await fetch(this.#base + this.#root + path, { ...request, headers, redirect: 'manual' })
    for (const set of answer.headers.getSetCookie()) this.#keep(set)
    const html = await answer.text()
    const location = answer.headers.get('location') ?? undefined
    const to = location?.startsWith(this.#root) ? location.slice(this.#root.length) : location
    return { status: answer.status, to, html, text: textOf(html), headers: answer.headers }
  }

  #keep(set: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
    if (value === '') this.cookies.delete(name)
    else this.cookies.set(name, value)
  }
}

/** The visible text, with one space between words. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ')
    .trim()
