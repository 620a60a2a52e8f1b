import { renderToString } from 'preact-render-to-string'
import type { AccountParts } from '#packages/accounts/people/account-parts.ts'
import { systemClock } from '#packages/adapters/system/clock.ts'
import { pocketsphinxTraits } from '#packages/content/speech/traits.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import type { Account, Role, Session } from '#packages/ports/accounts.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { ViewsUnreadableError } from '#packages/ports/views.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { byName, type Setting, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { until } from '#test/doubles/service/until.ts'
import { testSealer as sealer } from '#test/doubles/test-sealer.ts'
import { anonymousAccess } from './anonymous-access.ts'
import type { PageOptions } from './options.ts'
import type { DashboardParts } from './parts.ts'
import type { Answer, Flash, OrgPageContext, Route } from './route.ts'
import { textOf } from './test-visitor.harness.ts'

export const pageOptions: PageOptions = {
  root: '/dashboard',
  publicUrl: undefined,
  signup: 'open',
  sendsMail: false,
  providerName: undefined,
  upgradeUrl: undefined,
  operatorEmail: undefined,
  termsUrl: undefined,
  privacyUrl: undefined,
  statusUrl: undefined,
  exampleUrl: 'https://www.youtube.com/watch?v=nvlHourCh01',
  exampleWords: 'And Mr. John Dashwood had then leisure',
  extracts: true,
  speech: pocketsphinxTraits,
  batchMaxItems: ingressDefaults.batchMaxItems,
  jobsPerMinute: ingressDefaults.rates.heavy,
  giveUpAfterMs: ingressDefaults.giveUpAfterMs,
  retentionDays: undefined,
}

export const ACCOUNT: Account = {
  id: 'account-1',
  email: 'ada@example.com',
  passwordHash: null,
  identity: null,
  verifiedAt: 1,
  isOperator: false,
  memberships: [],
  promised: null,
  createdAt: 1,
}

/** Noon in the middle of a month, so that no test crosses the end of a day or a month. */
const NOON = Date.UTC(2026, 10, 21, 12)

/** Starts at that noon and runs at the speed of real time. A test can move it forward. */
class MovableClock implements Clock {
  #ahead = NOON - systemClock.now()
  now(): number {
    return systemClock.now() + this.#ahead
  }
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal)
  }
  move(ms: number): void {
    this.#ahead += ms
  }
}

const SESSION: Session = {
  hash: 'session-1',
  accountId: ACCOUNT.id,
  createdAt: 1,
  lastSeenAt: 1,
  expiresAt: Number.MAX_SAFE_INTEGER,
}

/** Used unless a test brings its own pictures. */
export const noThumbnails: DashboardParts['thumbnails'] = { of: async () => undefined }

/** A test's request. With `form` it is a POST. */
export type Asked = {
  orgId: string
  path: string
  form?: Record<string, string | string[]>
  role?: Role
  isOperator?: boolean
  lastEventId?: string
  /** What a form handed over to this page. */
  flash?: Flash
  /** A script sends the form. */
  isInPlace?: boolean
}

/**
 * Pages on an ingress that keeps everything in memory. The visitor is a member of the requested organization.
 * A test calls a page directly, without HTTP or a session. `ingress` has the rest: `org()`, `views`, `store`.
 *
 *   await using dashboard = await startDashboard({ pages: (parts, options) => overviewRoutes(parts, options) })
 *   const { orgId } = await dashboard.ingress.org()
 *   const { html } = await dashboard.ask({ orgId, path: `/org/${orgId}` })
 */
export async function startDashboard({
  pages,
  options,
  thumbnails = noThumbnails,
  ...setting
}: Partial<Omit<Setting, 'options' | 'pages' | 'clock'>> & {
  pages: (
    parts: Omit<DashboardParts, keyof AccountParts | 'accounts' | 'organizations'>,
    options: PageOptions,
  ) => Route[]
  thumbnails?: DashboardParts['thumbnails']
  options?: Partial<PageOptions>
}) {
  let routes: Route[] = []
  const followed: { jobId: string; traceparent: string }[] = []
  const clock = new MovableClock()
  const ingress = await startIngress({
    clock,
    ...setting,
    pages(shared, ports) {
      routes = pages({ ...ports, ...byName(shared), sealer, thumbnails }, { ...pageOptions, ...options })
      const visitors = { who: async () => undefined, held: () => undefined }
      return { ...anonymousAccess(pageOptions.root, visitors), answer: (_request, response) => void response.end() }
    },
  })

  /** The answer of the page at a path below the dashboard, and its HTML without the frame. Throws the page's errors. */
  const ask = async (asked: Asked): Promise<{ answer: Answer; html: string; text: string }> => {
    const { pathname } = new URL(asked.path, 'http://localhost')
    for (const route of routes) {
      const match = patternOf(route.path).exec(pathname)
      if (match === null) continue
      const handler = (asked.form === undefined ? route.get : route.post) as
        | ((context: OrgPageContext) => Promise<Answer>)
        | undefined
      if (handler === undefined) throw new Error(`${route.path} does not take that method`)
      const context = pageContextOf(asked, match.groups ?? {})
      const answer = await handler({ ...context, follows: (job) => void followed.push(job) })
      // Like a browser, loads the page that shows the outcome of the form.
      if (answer.type === 'redirect' && answer.flash) {
        const { form: _, ...again } = asked
        return ask({ ...again, path: answer.to, flash: answer.flash })
      }
      const html = answer.type === 'page' ? renderToString(answer.main) : ''
      return { answer, html, text: textOf(html) }
    }
    throw new Error(`no page has the path ${pathname}`)
  }

  /** Repeats the request until the page contains these words, because views lag behind the events. */
  const askUntil = (asked: Asked, words: string) =>
    until(
      `the page says “${words}”`,
      async () => {
        const asking = await ask(asked)
        return asking.text.includes(words) && asking
      },
      { seconds: 50, everyMs: 10 },
    )

  return { ingress, clock, ask, askUntil, followed, [Symbol.asyncDispose]: () => ingress[Symbol.asyncDispose]() }
}

/**
 * The pages of one section of an organization of its own.
 * @param section such as `webhooks`; '' for the overview
 */
export async function startSection(
  section: string,
  { plan, ...given }: Parameters<typeof startDashboard>[0] & { plan?: Plan },
) {
  const dashboard = await startDashboard(given)
  const org = await dashboard.ingress.org(plan)
  const { orgId } = org
  const list = `/org/${orgId}${section && `/${section}`}`
  return {
    ...dashboard,
    org,
    orgId,
    list,
    ask: (path = list, form?: Asked['form']) => dashboard.ask({ orgId, path, ...(form && { form }) }),
    shows: (words: string) => dashboard.askUntil({ orgId, path: list }, words),
  }
}

export type StartedDashboard = Awaited<ReturnType<typeof startDashboard>>

/** No page of a view and no search in one can be read, until the result is disposed of. */
export function loseViews({ views }: StartedDashboard['ingress']): Disposable {
  const { page, find } = views
  const lost = () => Promise.reject(new ViewsUnreadableError())
  Object.assign(views, { page: lost, find: lost })
  return { [Symbol.dispose]: () => void Object.assign(views, { page, find }) }
}

/** A route's path as a pattern. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`)

function pageContextOf(
  { orgId, path, form = {}, role = 'owner', isOperator = false, lastEventId, flash = {}, isInPlace = false }: Asked,
  params: Record<string, string>,
): OrgPageContext {
  const fields = Object.entries(form).flatMap(([name, values]) => [values].flat().map((value) => [name, value]))
  return {
    params,
    query: new URL(path, 'http://localhost').searchParams,
    form: new URLSearchParams(fields),
    visitor: { account: { ...ACCOUNT, isOperator, memberships: [{ orgId, role, since: 1 }] }, session: SESSION },
    org: { orgId, name: 'Acme', role },
    requestId: 'request-1',
    shownId: 'request-1',
    traceparent: newTraceparent(true),
    address: '127.0.0.1',
    baseUrl: 'http://localhost:8080',
    sessionToken: 'token-1',
    signInUnderWay: undefined,
    lastEventId,
    flash,
    isInPlace,
    isAboutJob: () => {},
    began: () => {},
    follows: () => {},
    mayHaveBegun: () => {},
    signal: new AbortController().signal,
  }
}
