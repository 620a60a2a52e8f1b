/**
 * The service and the browser that all files of this folder share, because they run in one process: a service as a
 * newcomer starts it, `npm start -- --sandbox`, and one Chromium. The first test that needs them starts them.
 */
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'
import { startService } from '#ops/demo/service.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { chromiumPath, withChromium } from './chromium.ts'
import { type BrowserOptions, WatchedBrowser } from './watched-browser.ts'

/**
 * Each browser comes from an address of its own, as behind a proxy, because this many people from one address would be
 * refused.
 */
const ADDRESS_HEADER = 'x-browser'

/** The folder for pictures, also of pages on which a test failed. Git ignores it. */
export const PICTURES = 'test/browser/pictures'

export type House = AsyncDisposable & {
  /** Runs `npm run …words` on the same data, such as `accounts -- reset EMAIL`. @returns what it prints */
  run(...words: string[]): Promise<string>
  browser: Browser
  /** Such as `http://127.0.0.1:41234`. */
  base: string
  /** The time at which `npm start` was called, by performance.now(). */
  startedAt: number
}

export const launch = (options: LaunchOptions = {}): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath() ?? '', ...options })

/** @param env variables in addition to those of a newcomer */
export async function openHouse(env: Record<string, string> = {}): Promise<House> {
  await using opening = new AsyncDisposableStack()
  const { path } = opening.use(await temporaryDirectory())
  const own = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: join(path, 'data'), PORT: '0', ...env }
  const startedAt = performance.now()
  await mkdir(PICTURES, { recursive: true })
  // Written beside the pictures of failed tests, to help find the cause.
  const logFile = join(PICTURES, 'service.log')
  const service = opening.use(await startService({ env: own, args: ['--sandbox'], logFile }))
  const browser = opening.adopt(await launch(), (browser) => browser.close())
  const open = opening.move()
  const { base } = service
  return {
    browser,
    base,
    startedAt,
    async run(...words) {
      const env = { ...own, PORT: new URL(base).port }
      const { stdout } = await promisify(execFile)('npm', ['run', '--silent', ...words, '--sandbox'], { env })
      return stdout
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

let begunBrowsers = 0

let opened: Promise<House> | undefined

/** @param env of the service, by the first call */
export function house(env: Record<string, string> = {}): Promise<House> {
  opened ??= openHouse({
    CLIENT_ADDRESS_HEADER: ADDRESS_HEADER,
    RATE_LIGHT_PER_MINUTE: '5000',
    RATE_HEAVY_FACTOR: '20',
    ...env,
  })
  return opened
}

export const closeHouse = async (): Promise<void> => (await opened)?.[Symbol.asyncDispose]()

// Without mocha, the caller closes the house.
if (typeof after === 'function') after(closeHouse)

/** A new person's browser on the shared house. */
export async function browseHouse(options?: BrowserOptions): Promise<WatchedBrowser> {
  const { browser, base } = await house()
  const headers = { [ADDRESS_HEADER]: `198.51.100.${begunBrowsers++ % 250}` }
  return WatchedBrowser.begin(browser, base, { ...options, headers })
}

/** The parameters of a test in Chromium. */
export type Scene = {
  house: House
  /** A new person's browser, with nothing else in it. */
  browse(options?: BrowserOptions): Promise<WatchedBrowser>
}

const fileNameOf = (title: string): string => title.replace(/\W+/g, '-').slice(0, 80)

/** Runs a test, then asks every browser that it opened for problems on its pages. */
async function play(title: string, body: (scene: Scene) => Promise<void>): Promise<void> {
  const shared = await house()
  await using closing = new AsyncDisposableStack()
  const browsers: WatchedBrowser[] = []
  const browse = async (options?: BrowserOptions): Promise<WatchedBrowser> => {
    const begun = closing.use(await browseHouse(options))
    browsers.push(begun)
    return begun
  }
  const failure = await body({ house: shared, browse }).catch((error: Error) => error)
  const complaints = browsers.flatMap(({ complaints }) => complaints)
  if (failure === undefined && complaints.length === 0) return
  await mkdir(join(PICTURES, 'failed'), { recursive: true })
  for (const [n, each] of browsers.entries()) await each.picture(join(PICTURES, 'failed', `${fileNameOf(title)}-${n}`))
  const error = failure ?? new Error('a page did what no page may do')
  error.message = [error.message, ...complaints].join('\n')
  throw error
}

export type Promises = (title: string, body: (scene: Scene) => Promise<void>) => void

/** Tests on the shared house, each with browsers of its own. Left out if there is no Chromium. */
export function inBrowser(title: string, body: (it: Promises) => void): void {
  withChromium(() => {
    describe(title, function () {
      this.timeout(90_000)
      body((promise, scene) => it(promise, () => play(promise, scene)))
    })
  })
}
