import type { Browser, BrowserContext, Page } from 'playwright-core'

export type BrowserOptions = {
  /** The time zone, such as `America/New_York`. Default: the machine's. */
  timeZone?: string
  /** Default true. */
  javaScript?: boolean
  /** The width of the window, in CSS pixels. Default 1280. */
  width?: number
  height?: number
  /** Default light. */
  scheme?: 'light' | 'dark'
  /** Sent with every request. */
  headers?: Record<string, string>
}

/** How long a page may take to do what a test waits for, milliseconds: other tests share the machine. */
const PATIENCE_MS = 40_000

/**
 * Chromium's message about an answer that refuses. Whether the refusal was right is for the test, or for the status
 * below.
 */
const refusal = /^Failed to load resource/

/** Runs in every page before anything else. */
const tellViolations = `addEventListener('securitypolicyviolation', (event) =>
  tellOfViolation([event.violatedDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(' ')))`

/**
 * One person's browser, with its own cookies. On every page that it opens, it notes whatever no page of ours may do:
 * break the content security policy, make a request to another origin, lack a part, log an error, throw.
 */
export class WatchedBrowser implements AsyncDisposable {
  readonly complaints: string[]
  readonly #context: BrowserContext

  private constructor(context: BrowserContext, complaints: string[]) {
    this.#context = context
    this.complaints = complaints
  }

  /** @param base the only origin that pages may call, such as `http://127.0.0.1:8080` */
  static async begin(browser: Browser, base: string, options: BrowserOptions = {}): Promise<WatchedBrowser> {
    const { javaScript = true, width = 1280, height = 900, scheme = 'light', headers = {}, timeZone } = options
    const context = await browser.newContext({
      baseURL: base,
      javaScriptEnabled: javaScript,
      viewport: { width, height },
      colorScheme: scheme,
      extraHTTPHeaders: headers,
      ...(timeZone !== undefined && { timezoneId: timeZone }),
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    context.setDefaultTimeout(PATIENCE_MS)
    const complaints: string[] = []
    await watch(context, new URL(base).origin, (complaint) => complaints.push(complaint))
    return new WatchedBrowser(context, complaints)
  }

  /** Returns and clears the problems noted since the previous call. */
  takeComplaints(): string[] {
    return this.complaints.splice(0)
  }

  /** A further tab of the same browser. */
  tab(): Promise<Page> {
    return this.#context.newPage()
  }

  /** A picture of each tab in its current state, to help find what went wrong. @param path without its ending */
  async picture(path: string): Promise<void> {
    for (const [n, page] of this.#context.pages().entries()) await page.screenshot({ path: `${path}-${n}.png` })
  }

  /** The names of the cookies that it holds. */
  async cookies(): Promise<string[]> {
    return (await this.#context.cookies()).map(({ name }) => name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close()
  }
}

/** Libraries in the renderer of /docs try whether they may compile code. They may not, and work without it. */
const triesToCompile = /^script-src eval \S+\/docs\/scalar-/

async function watch(context: BrowserContext, origin: string, complain: (what: string) => void): Promise<void> {
  await context.exposeBinding('tellOfViolation', ({ page }, what: string) => {
    if (!triesToCompile.test(what)) complain(`${page.url()}: CSP: ${what}`)
  })
  await context.addInitScript({ content: tellViolations })
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && url.protocol !== 'data:' && url.protocol !== 'blob:')
      complain(`${request.frame().url()} asks ${request.url()}`)
  })
  context.on('response', (response) => {
    // A form that is sent in place is shown again as its page would be.
    const isPage = response.request().resourceType() === 'document' || 'x-in-place' in response.request().headers()
    if (response.status() >= (isPage ? 500 : 400)) complain(`${response.url()} is answered ${response.status()}`)
  })
  context.on('console', (message) => {
    if (message.type() === 'error' && !refusal.test(message.text()))
      complain(`${message.page()?.url()}: logs ${message.text()}`)
  })
  context.on('weberror', (error) => complain(`${error.page()?.url()}: throws ${error.error().message}`))
}
