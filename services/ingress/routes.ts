import { type RequestHandler, Router } from 'express'
import type { Acceptance } from '#packages/acceptance/acceptance.ts'
import type { Estimates } from '#packages/acceptance/estimates.ts'
import { invalidRequest, ServiceError } from '#packages/errors/service-error.ts'
import type { SchemaChecks } from '#packages/extraction/schema/schema-checks.ts'
import type { JobHistory } from '#packages/jobs/job-history.ts'
import type { JobWatch } from '#packages/jobs/job-watch.ts'
import type { KeyRing } from '#packages/keys/key-ring.ts'
import type { KeyUse } from '#packages/keys/key-use.ts'
import type { Keys } from '#packages/keys/keys.ts'
import type { Ledgers } from '#packages/ledger/ledgers.ts'
import type { Lookups } from '#packages/lookups/lookups.ts'
import type { Accounts } from '#packages/organizations/accounts.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { profilePlatforms } from '#packages/platforms/registry.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import type { AttemptsUnderWay } from '#packages/processing/attempts-under-way.ts'
import type { Readiness } from '#packages/readiness/readiness.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { answerErrors, notFound } from './answers/answer-errors.ts'
import type { Answers } from './answers/answers.ts'
import type { EndedJobs } from './answers/ended-jobs.ts'
import type { ErrorObjects } from './answers/error-objects.ts'
import { authenticate } from './authentication/authenticate.ts'
import type { ConcurrencyLimit } from './limits/concurrency-limit.ts'
import type { RateLimits } from './limits/rate-limits.ts'
import type { IngressOptions } from './options.ts'
import { contextOf, newRequestContext, setContext } from './requests/request-context.ts'
import { allowOrigins } from './routes/cross-origin.ts'
import { getDocs, getDocsAsset, getLlmsText, getOpenApi, leadTo } from './routes/documentation.ts'
import { getErrorPage } from './routes/error-page.ts'
import { getJob } from './routes/get-job.ts'
import { getJobEvents } from './routes/get-job-events.ts'
import { getJobs } from './routes/get-jobs.ts'
import { getMe } from './routes/get-me.ts'
import { getMetadata } from './routes/get-metadata.ts'
import { getProfile } from './routes/get-profile.ts'
import { getReady } from './routes/get-ready.ts'
import { getSearch } from './routes/get-search.ts'
import { deleteJob, getJobDetails } from './routes/job-details.ts'
import { deleteKey, listKeys, postKey } from './routes/keys.ts'
import { type Mounted, mount } from './routes/mounted.ts'
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
  history: JobHistory
  /** Of this process: none where the workers are elsewhere. */
  attempts: AttemptsUnderWay
  lookups: Lookups
  schemas: SchemaChecks
  ended: EndedJobs
  rates: RateLimits
  readiness: Readiness
  keys: KeyRing
  /** The keys of an organization, for `/v1/keys`. */
  ownKeys: Keys
  use: KeyUse
  accounts: Accounts
  /** Surfaces of other services, by path. */
  mounted: Readonly<Record<string, Mounted>>
  concurrency: ConcurrencyLimit
  /** Aborted when the server closes. */
  closing: AbortSignal
}

const strict = { caseSensitive: true, strict: true }

const methodNotAllowed =
  (allow: string): RequestHandler =>
  (request, response) => {
    contextOf(response).headers.push('Allow', allow)
    throw new ServiceError('method_not_allowed', `${request.method} is not allowed here.`)
  }

const readOnly = methodNotAllowed('GET, HEAD')

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
    telemetry.within(context.traceparent, next)
  }

/** All routes, outermost first. */
export function createRoutes(parts: Parts, options: IngressOptions): Router {
  const { answers } = parts
  const routes = Router(strict)
  routes.use(welcome(parts))
  routes.use('/v1', createV1(parts, options))
  const health: RequestHandler = (_request, response) => answers.text(response, 200, '{"status":"ok"}')
  routes.route('/health').all(named('/health')).get(health).all(readOnly)
  routes.route('/ready').all(named('/ready')).get(getReady(parts)).all(readOnly)
  routes.route('/openapi.json').all(named('/openapi.json')).get(getOpenApi(parts)).all(readOnly)
  routes.route('/llms.txt').all(named('/llms.txt')).get(getLlmsText(parts)).all(readOnly)
  routes.route('/').all(named('/')).get(leadTo(parts, 'docs')).all(readOnly)
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
  const v1 = Router(strict)
  v1.use(allowOrigins(parts, options))
  v1.use(authenticate(parts))
  v1.use(refuseUndecodable(light))

  const job = getJob(parts, { kind: 'transcript', maxWaitSeconds, closing: parts.closing })
  const ofJob = '/v1/transcript/{jobId}'
  v1.route('/transcript/:jobId').all(named(ofJob)).get(polls, job).all(light, readOnly)
  const transcript = v1.route('/transcript').all(named('/v1/transcript'))
  transcript.post(heavy, postTranscript(parts, { ...options.speech, ...options })).all(light, methodNotAllowed('POST'))
  const extraction = getJob(parts, { kind: 'extraction', maxWaitSeconds, closing: parts.closing })
  v1.route('/extract/:jobId').all(named('/v1/extract/{jobId}')).get(polls, extraction).all(light, readOnly)
  const extract = v1.route('/extract').all(named('/v1/extract'))
  extract.post(heavy, postExtract(parts, options)).all(light, methodNotAllowed('POST'))
  const estimate = v1.route('/estimate').all(named('/v1/estimate'))
  estimate.post(light, postEstimate(parts, options)).all(light, methodNotAllowed('POST'))
  v1.route('/me').all(named('/v1/me')).get(light, getMe(parts)).all(light, readOnly)
  v1.route('/metadata').all(named('/v1/metadata')).get(light, getMetadata(parts)).all(light, readOnly)
  v1.route('/search').all(named('/v1/search')).get(light, getSearch(parts)).all(light, readOnly)
  for (const { name } of profilePlatforms)
    v1.route(`/${name}/profile`)
      .all(named(`/v1/${name}/profile`))
      .get(light, getProfile(parts, name))
      .all(light, readOnly)
  v1.route('/jobs').all(named('/v1/jobs')).get(light, getJobs(parts)).all(light, readOnly)
  const details = v1.route('/jobs/:jobId').all(named('/v1/jobs/{jobId}'))
  details.get(light, getJobDetails(parts)).delete(light, deleteJob(parts, options))
  details.all(light, methodNotAllowed('GET, HEAD, DELETE'))
  v1.route('/jobs/:jobId/events')
    .all(named('/v1/jobs/{jobId}/events'))
    .get(light, getJobEvents(parts))
    .all(light, readOnly)
  const keys = v1.route('/keys').all(named('/v1/keys'))
  keys.get(light, listKeys(parts)).post(light, postKey(parts, options))
  keys.all(light, methodNotAllowed('GET, HEAD, POST'))
  const key = v1.route('/keys/:id').all(named('/v1/keys/{id}'))
  key.delete(light, deleteKey(parts)).all(light, methodNotAllowed('DELETE'))
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
