import { mkdirSync, rmSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LRUCache } from 'lru-cache'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Warned } from '#packages/foundation/readiness/readiness.ts'
import { type WorkerPool, workerPool } from '#packages/foundation/workers/worker-pool.ts'
import { WorkerRefusal } from '#packages/foundation/workers/worker-process.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { PageAnswer } from '../reading/ask-platform.ts'
import { platforms } from '../registry.ts'
import { isSignIn, parseVideoUrl } from '../urls/parse-video-url.ts'
import { Accounts } from './accounts.ts'
import { failureRowOf, redacted } from './failure.ts'
import { CaptionsWithheld, failureAfter, isWithheld } from './missing-parts.ts'
import type { Reader, ReaderWish } from './reader.ts'
import { ReaderHealth } from './reader-health.ts'
import { textsOf, toInfo } from './to-info.ts'
import { WarningLog } from './warning-log.ts'

/**
 * The addresses that workers may read. yt-dlp may read each platform's canonical pages, with all platforms' extractors.
 * Other requests may go to pages and interfaces on the platform's own hosts, given as domains.
 */
export const allowed = {
  hosts: Object.fromEntries(platforms.map(({ name, urls }) => [name, [...urls.domains, ...urls.hosts]])),
  pages: Object.fromEntries(platforms.map(({ name, ytdlp }) => [name, ytdlp.pages.source])),
  extractors: platforms.flatMap(({ ytdlp }) => ytdlp.extractors),
}

export type ReaderOptions = {
  /** Python interpreter with yt-dlp. */
  python: string
  /** Node 22 or later, which solves YouTube's challenges; absolute path. */
  node: string
  /** A directory for the workers' caches and copies of cookies. Used by this process alone, emptied at start. */
  directory: string
  clock: Clock
  log: Logger
  telemetry: Telemetry
  /** A PEM file of trusted certificate authorities, in addition to the usual ones. */
  caFile?: string | undefined
  /** Netscape cookie files `<platform>.txt` of the operator; never written. */
  cookiesDirectory?: string | undefined
  /** Base URL of a bgutil service that makes YouTube's proof tokens, through the proxy that uses them. */
  potUrl?: string | undefined
  /** A folder with a newer yt-dlp than `python` has, and its dependencies. Workers use it if they find it. */
  packages?: string | undefined
  maxWorkers?: number
  script?: string
}

/** The reader, for the process that owns it. */
export type OwnReader = Reader & {
  /** Problems of yt-dlp, and of the platforms as yt-dlp reaches them. */
  health: Warned
  /** Ids of the worker processes that exist now. */
  readonly pids: number[]
}

const ownScript = fileURLToPath(new URL('./worker.py', import.meta.url))
const MAX_ROUTES = 1000
/** The memory limit of a worker. Its Node process may use the same amount again. */
const MAX_MEMORY_BYTES = 384 * 1024 * 1024
const INFO_TIMEOUT_MS = 45_000
const CAPTIONS_TIMEOUT_MS = 60_000
const MEDIA_TIMEOUT_MS = 1_800_000
/** The largest answer of a worker. The largest captions (reading.py) take less as JSON. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

/** The time limit for one request of a page, seconds, including redirects, other browsers and a proof of work. */
const PAGE_SECONDS = 25
const PAGE_TIMEOUT_MS = 30_000
/** The status that refuses this exit address. 403 may concern one page only, such as that of a dead link. */
const TOO_MANY = 429

type Asked = { op: 'info' | 'captions' | 'media' | 'page'; url: string; timeoutMs: number; [more: string]: unknown }
type AskedBy = Omit<ReaderWish, 'canonicalUrl'>

/**
 * Opens the reader. Its workers start when there is work, and end when the reader is disposed of.
 * @throws the file system's error if `directory` cannot be created
 */
export function createReader(options: ReaderOptions): OwnReader {
  const { clock, log } = options
  const pool = openPool(options)
  const health = new ReaderHealth(clock)
  const warningLog = new WarningLog({ ...options, hasPotService: options.potUrl !== undefined })
  const accounts = new Accounts({ directory: options.cookiesDirectory, clock })
  /**
   * The generation of each place. A new one begins when the data that a worker holds for the place has become unusable.
   * No number is used twice.
   */
  const generations = new LRUCache<string, number>({ max: MAX_ROUTES })
  let newest = 0

  /** The exit of a request. It contains a password, so workers get it only if they request tokens. */
  const exitOf = ({ platform, route }: AskedBy): string | null =>
    options.potUrl !== undefined && platform === 'youtube' ? (route.nextHop ?? null) : null
  const placeOf = ({ platform, route }: AskedBy) => `${platform} ${route.proxyUrl}`

  async function ask(wish: AskedBy, { timeoutMs, ...asked }: Asked, onAsk?: (ask: unknown) => Promise<void>) {
    const { platform, route, signal, onWait } = wish
    const { url } = asked
    const place = placeOf(wish)
    const cookies = accounts.has(platform)
    const generation = generations.get(place) ?? 0
    const message = { ...asked, platform, proxy: route.proxyUrl, exit: exitOf(wish), generation, cookies }
    const about = [`${url} ${place}`, place]
    const warnings: string[] = []
    const limits = {
      signal,
      timeoutMs,
      deadlineAt: clock.now() + timeoutMs,
      about,
      shares: sharesOf(wish, asked.op),
      // other requests, such as those of a search, give up early, and must not end a worker that holds data for others
      finishes: asked.op === 'info' || asked.op === 'page',
      onWait,
      onTell: (message: unknown) => warnings.push(...textsOf((message as { warnings?: unknown }).warnings)),
    }
    try {
      const result = await pool.request(message, onAsk ? { ...limits, onAsk } : limits)
      if (cookies) accounts.note(platform, asked.op === 'page' && isLogin(result) ? 'login_required' : 'other')
      health.answered(platform)
      return result
    } catch (error) {
      if (!(error instanceof WorkerRefusal)) {
        health.failed(error)
        throw error
      }
      const reason = redacted(error.message, url)
      if (asked.op === 'captions' && isWithheld(warnings, error.message)) {
        warningLog.noteWithheld(platform, reason)
        throw new CaptionsWithheld({ cause: new Error(reason) })
      }
      const failure = failureAfter(warnings, error.message, url)
      health.answered(platform, failure)
      const { broken, ofVideo } = failureRowOf(error.message)
      if (failure.code === 'platform_blocked') generations.set(place, ++newest)
      if (cookies && !ofVideo) accounts.note(platform, failure.code === 'login_required' ? 'login_required' : 'other')
      if (broken) log.error({ platform, reason }, 'yt-dlp no longer understands a platform')
      throw failure
    } finally {
      warningLog.note(platform, url, warnings)
    }
  }

  return {
    health,
    info: async (wish) => toInfo(await ask(wish, { op: 'info', url: urlOf(wish), timeoutMs: INFO_TIMEOUT_MS })),
    async captions(wish, { language, automatic, ext }) {
      const limits = { url: urlOf(wish), timeoutMs: CAPTIONS_TIMEOUT_MS }
      return String(await ask(wish, { op: 'captions', ...limits, language, automatic, ext }))
    },
    async page({ url, method = 'GET', headers = {}, body, holds, follow, maxBytes, ...wish }) {
      const limits = { seconds: PAGE_SECONDS, timeoutMs: PAGE_TIMEOUT_MS, follow, pageBytes: maxBytes }
      const answer = (await ask(wish, {
        op: 'page',
        url,
        method,
        headers,
        body: body ?? null,
        holds: holds ?? null,
        ...limits,
      })) as PageAnswer
      if (answer.status === TOO_MANY) generations.set(placeOf(wish), ++newest)
      return answer
    },
    async media(wish, { formatId, path, maxBytes, reserve }) {
      const asked = { op: 'media', url: urlOf(wish), timeoutMs: MEDIA_TIMEOUT_MS, formatId, path, maxBytes } as const
      try {
        await ask(wish, asked, grower(reserve))
      } finally {
        await removePieces(path)
      }
    },
    get restingAccounts() {
      return accounts.resting
    },
    get withholding() {
      return warningLog.withholding
    },
    get pids() {
      return pool.pids
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

function openPool(options: ReaderOptions): WorkerPool {
  const { python, node, directory, clock, log, telemetry, script = ownScript, maxWorkers = 3 } = options
  const { caFile = null, cookiesDirectory = null, potUrl = null, packages = null } = options
  const directoriesIn = join(directory, 'workers')
  rmSync(directoriesIn, { recursive: true, force: true })
  mkdirSync(directoriesIn, { recursive: true })
  const settings = { node, caFile, cookiesDirectory, potUrl, packages, memoryBytes: MAX_MEMORY_BYTES, ...allowed }
  const program = {
    command: python,
    args: ['-EsB', script, JSON.stringify(settings)],
    env: { PATH: '/nonexistent', LC_ALL: 'C.UTF-8' },
    maxAnswerBytes: MAX_ANSWER_BYTES,
    directoriesIn,
  }
  const limits = { maxWorkers, maxWaiting: 200, maxRequests: 200, idleMs: 60_000 }
  return workerPool({ program, clock, log, telemetry, name: 'yt-dlp', ...limits })
}

/** Shares of the pool: neither one organization nor downloads, which take minutes, may occupy all workers. */
const sharesOf = ({ organization = 'operators' }: AskedBy, op: Asked['op']): string[] => [
  `organization ${organization}`,
  ...(op === 'media' ? ['downloads'] : []),
]

/** The URL of a video. yt-dlp takes commands in place of one, such as `ytsearch5:cats`. */
function urlOf({ canonicalUrl, platform }: ReaderWish): string {
  const parsed = parseVideoUrl(canonicalUrl)
  const isOne = parsed.accepted && parsed.platform === platform && parsed.canonical === canonicalUrl
  if (!isOne || parsed.id === null) throw new StepError('media_unsupported')
  return canonicalUrl
}

/** Whether a page's answer demands to sign in. */
const isLogin = (answer: unknown): boolean => {
  const { status, url } = answer as PageAnswer
  return status === 401 || isSignIn(new URL(url))
}

/** Reserves only the growth of a download: one that starts over requests bytes that it has already reserved. */
function grower(reserve: (bytes: number) => Promise<void>): (ask: unknown) => Promise<void> {
  let reserved = 0
  return async (ask) => {
    const { bytes } = ask as { bytes: number }
    if (!(bytes > reserved)) return
    await reserve(bytes - reserved)
    reserved = bytes
  }
}

/** Removes the fragments that yt-dlp leaves when it cannot finish a download. */
async function removePieces(path: string): Promise<void> {
  const start = `${basename(path)}-Frag`
  const pieces = (await readdir(dirname(path))).filter((name) => name.startsWith(start))
  for (const name of pieces) await rm(join(dirname(path), name), { force: true })
}
