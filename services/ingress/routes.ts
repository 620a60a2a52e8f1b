import { type RequestHandler, Router } from 'express'
import type { Acceptance } from '#packages/acceptance/acceptance.ts'
import type { Estimates } from '#packages/acceptance/estimates.ts'
import { invalidRequest } from '#packages/errors/service-error.ts'
import type { SchemaChecks } from '#packages/extraction/schema/schema-checks.ts'
import type { JobHistory } from '#packages/jobs/job-history.ts'
import type { JobWatch } from '#packages/jobs/job-watch.ts'
import type { KeyRing } from '#packages/keys/key-ring.ts'
import type { KeyUse } from '#packages/keys/key-use.ts'
import type { Keys } from '#packages/keys/keys.ts'
import type { Ledgers } from '#packages/ledger/ledgers.ts'
import type { Lookups } from '#packages/lookups/lookups.ts'
import type { OrganizationDetails } from '#packages/organizations/organization-details.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { profilePlatforms } from '#packages/platforms/registry.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import type { AttemptsUnderWay } from '#packages/processing/attempts-under-way.ts'
import type { Readiness } from '#packages/readiness/readiness.ts'
import type { JobToForget } from '#packages/removal/forget-job.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { answerErrors, notFound } from './answers/answer-errors.ts'
import type { Answers } from './answers/answers.ts'
import type { EndedJobs } from './answers/ended-jobs.ts'
import type { ErrorObjects } from './answers/error-objects.ts'
import { authenticate } from './authentication/authenticate.ts'
import { type Methods, notAllowed, permit } from './authentication/permit.ts'
import type { AddressOf } from './connections/address-group.ts'
import type { ConcurrencyLimit } from './limits/concurrency-limit.ts'
import type { RateLimits } from './limits/rate-limits.ts'
import type { IngressOptions } from './options.ts'
import { contextOf, newRequestContext, setContext } from './requests/request-context.ts'
import { allowOrigins } from './routes/cross-origin.ts'
import { deleteJobContent } from './routes/delete-job-content.ts'
import { getDocs, getDocsAsset, getLlmsText, getOpenApi, leadTo } from './routes/documentation.ts'
import { getErrorPage } from './routes/error-page.ts'
import { getCredits } from './routes/get-credits.ts'
import { getJob } from './routes/get-job.ts'
import { getJobEvents } from './routes/get-job-events.ts'
import { getJobs } from './routes/get-jobs.ts'
import { getMe } from './routes/get-me.ts'
import { getMetadata } from './routes/get-metadata.ts'
import { getProfile } from './routes/get-profile.ts'
import { getReady } from './routes/get-ready.ts'
import { getSearch } from './routes/get-search.ts'
import { getTransactions } from './routes/get-transactions.ts'
import { getUsage } from './routes/get-usage.ts'
import { deleteJob, getJobDetails } from './routes/job-details.ts'
import { deleteKey, listKeys, postKey } from './routes/keys.ts'
import { type Mounted, mount } from './routes/mounted.ts'
import { handToPages, type Pages } from './routes/pages.ts'
import { postEstimate } from './routes/post-estimate.ts'
import { postExtract } from './routes/post-extract.ts'
import { postTranscript } from './routes/post-transcript.ts'

/** The resources of the routes. Each route takes the few that it uses. */
export type Parts = {
  store: EventStore
  views: Views
  ledgers: Ledgers
  clock: Clock
  ids: Ids
  log: Logger
  loop: LoopMonitor
  telemetry: Telemetry
  platforms: Pick<Platforms, 'standing'>
  answers: Answers
  errors: ErrorObjects
  acceptance: Acceptance
  estimates: Estimates
  watch: JobWatch
  /** Removes the content of a job, by the rules of `forgetJob`. */
  forget(job: JobToForget): Promise<void>
  history: JobHistory
  /** Of this process: none where the workers are elsewhere. */
  attempts: AttemptsUnderWay
  lookups: Lookups
  schemas: SchemaChecks
  ended: EndedJobs
  rates: RateLimits
  addressOf: AddressOf
  readiness: Readiness
  keys: KeyRing
  /** The keys of an organization, for `/v1/keys`. */
  ownKeys: Keys
  use: KeyUse
  details: OrganizationDetails
  /** Surfaces of other services, by path. */
  mounted: Readonly<Record<string, Mounted>>
  /** Pages for people; undefined: there are none. */
  pages: Pages | undefined
  concurrency: ConcurrencyLimit
  /** Aborted when the server closes. */
  closing: AbortSignal
}

const strict = { caseSensitive: true, strict: true }

const readOnly: RequestHandler = (request, response) => notAllowed(request, response, 'GET, HEAD')

/** Names the route that serves a request, for the log. */
const named =
  (route: string): RequestHandler =>
  (_request, response, next) => {
    contextOf(response).route = route
    next()
  }

const welcome =
  ({ ids, clock, loop, telemetry }: Parts): RequestHandler =>
  (request, response, next) => {
    const context = newRequestContext(request, ids.uuid(), clock.now(), telemetry)
    loop.note(context)
    setContext(response, context)
    next()
  }

/** For routes that ask hosts outside: their calls become spans below that of the request. The other routes have none. */
const withSpans =
  ({ telemetry }: Parts): RequestHandler =>
  (_request, response, next) =>
    telemetry.within(contextOf(response).traceparent, next)

/** All routes, outermost first. */
export function createRoutes(parts: Parts, options: IngressOptions): Router {
  const { answers, pages } = parts
  const routes = Router(strict)
  routes.use(welcome(parts))
  routes.use('/v1', createV1(parts, options))
  const health: RequestHandler = (_request, response) => answers.text(response, 200, '{"status":"ok"}')
  routes.route('/health').all(named('/health')).get(health).all(readOnly)
  routes.route('/ready').all(named('/ready')).get(getReady(parts)).all(readOnly)
  routes.route('/openapi.json').all(named('/openapi.json')).get(getOpenApi(parts)).all(readOnly)
  routes.route('/llms.txt').all(named('/llms.txt')).get(getLlmsText(parts)).all(readOnly)
  const home = pages === undefined ? 'docs' : pages.path.slice(1)
  routes.route('/').all(named('/')).get(leadTo(parts, home)).all(readOnly)
  if (pages !== undefined) routes.use(pages.path, handToPages(parts, pages))
  routes.route('/docs/').all(named('/docs/')).get(leadTo(parts, '../docs')).all(readOnly)
  routes.route('/docs').all(named('/docs')).get(getDocs(parts)).all(readOnly)
  routes.route('/docs/errors').all(named('/docs/errors')).get(getErrorPage(parts)).all(readOnly)
  routes.route('/docs/:file').all(named('/docs/{file}')).get(getDocsAsset(parts), notFound).all(readOnly)
  for (const [path, mounted] of Object.entries(parts.mounted))
    routes.route(path).all(named(path), ...mount(parts, mounted))
  routes.use(notFound)
  routes.use(answerErrors(parts))
  return routes
}

function createV1(parts: Parts, options: IngressOptions): Router {
  const { light, heavy, polls } = parts.rates
  const { maxWaitSeconds } = options
  const spans = withSpans(parts)
  const v1 = Router(strict)
  v1.use(allowOrigins(parts, options))
  v1.use(authenticate(parts))
  v1.use(refuseUndecodable(light))
  /** A route under /v1 with all its methods, each with the scope that a key needs for it. */
  const route = (path: string, methods: Methods) =>
    v1.route(path.replaceAll(/\{(\w+)\}/g, ':$1')).all(named(`/v1${path}`), permit(methods, parts.rates))

  const job = getJob(parts, { kind: 'transcript', maxWaitSeconds, closing: parts.closing })
  route('/transcript/{jobId}', { GET: 'read' }).get(polls, job)
  route('/transcript', { POST: 'jobs' }).post(heavy, postTranscript(parts, { ...options.speech, ...options }))
  const extraction = getJob(parts, { kind: 'extraction', maxWaitSeconds, closing: parts.closing })
  route('/extract/{jobId}', { GET: 'read' }).get(polls, extraction)
  route('/extract', { POST: 'jobs' }).post(heavy, postExtract(parts, options))
  route('/estimate', { POST: 'read' }).post(light, spans, postEstimate(parts, options))
  route('/me', { GET: 'read' }).get(light, getMe(parts))
  route('/metadata', { GET: 'read' }).get(light, spans, getMetadata(parts))
  route('/search', { GET: 'read' }).get(light, spans, getSearch(parts))
  for (const { name } of profilePlatforms)
    route(`/${name}/profile`, { GET: 'read' }).get(light, spans, getProfile(parts, name))
  route('/jobs', { GET: 'read' }).get(light, getJobs(parts))
  route('/jobs/{jobId}', { GET: 'read', DELETE: 'jobs' })
    .get(light, getJobDetails(parts))
    .delete(light, deleteJob(parts, options))
  route('/jobs/{jobId}/content', { DELETE: 'jobs' }).delete(light, deleteJobContent(parts))
  route('/jobs/{jobId}/events', { GET: 'read' }).get(light, getJobEvents(parts))
  route('/usage', { GET: 'read' }).get(light, getUsage(parts, options))
  route('/credits', { GET: 'read' }).get(light, getCredits(parts))
  route('/credits/transactions', { GET: 'read' }).get(light, getTransactions(parts))
  route('/keys', { GET: 'keys', POST: 'keys' }).get(light, listKeys(parts)).post(light, postKey(parts, options))
  route('/keys/{id}', { DELETE: 'keys' }).delete(light, deleteKey(parts))
  v1.use(light, notFound)
  return v1
}

/** Express would throw for such a path before the request is counted. */
const refuseUndecodable =
  (light: RequestHandler): RequestHandler =>
  (request, response, next) => {
    if (!request.url.includes('%') || isDecodable(pathOf(request.url))) return next()
    return light(request, response, (error?: unknown) =>
      next(error ?? invalidRequest({ path: 'path', message: 'is not percent-encoded properly' })),
    )
  }

const pathOf = (url: string): string => url.split('?', 1)[0] ?? ''

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
