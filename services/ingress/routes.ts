import type { RequestListener } from 'node:http'
import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import type { KeyRing } from '#packages/accounts/keys/key-ring.ts'
import type { KeyUse } from '#packages/accounts/keys/key-use.ts'
import type { Keys } from '#packages/accounts/keys/keys.ts'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import type { OrganizationDetails } from '#packages/accounts/organizations/organization-details.ts'
import type { SchemaChecks } from '#packages/content/extraction/schema/schema-checks.ts'
import type { Results } from '#packages/content/results/results.ts'
import type { JobKind } from '#packages/domain/job/events.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import type { Readiness } from '#packages/foundation/readiness/readiness.ts'
import type { JobToForget } from '#packages/history/removal/forget-job.ts'
import type { Acceptance } from '#packages/jobs/acceptance/acceptance.ts'
import type { Estimates } from '#packages/jobs/acceptance/estimates.ts'
import type { OwnerNote } from '#packages/jobs/acceptance/owner-note.ts'
import type { Batches } from '#packages/jobs/batches/batches.ts'
import type { BatchBodies } from '#packages/jobs/batches/body/batch-bodies.ts'
import type { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import type { JobHistory } from '#packages/jobs/status/job-history.ts'
import type { JobWatch } from '#packages/jobs/status/job-watch.ts'
import type { Watches } from '#packages/jobs/watches/watches.ts'
import type { Deliveries } from '#packages/jobs/webhooks/deliveries.ts'
import type { Webhooks } from '#packages/jobs/webhooks/webhooks.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import type { Lookups } from '#packages/platforms/lookups/lookups.ts'
import { profilePlatforms } from '#packages/platforms/registry.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { answerErrors, notFound } from './answers/answer-errors.ts'
import type { Answers } from './answers/answers.ts'
import type { EndedJobs } from './answers/ended-jobs.ts'
import type { ErrorObjects } from './answers/error-objects.ts'
import { paceResponse } from './answers/pace-response.ts'
import { admit, clientOf } from './authentication/admit.ts'
import { authenticate } from './authentication/authenticate.ts'
import { notAllowed, type Operation, type Operations, permit } from './authentication/permit.ts'
import { keyHashOf } from './authentication/presented-key.ts'
import type { AddressOf } from './connections/address-group.ts'
import type { RequestScheduler } from './connections/request-scheduler.ts'
import type { ConcurrencyLimit } from './limits/concurrency-limit.ts'
import type { EndWaits } from './limits/end-waits.ts'
import type { RateLimits } from './limits/rate-limits.ts'
import type { IngressOptions } from './options.ts'
import { contextOf, RequestContext, setContext } from './requests/request-context.ts'
import { batchOperations } from './routes/batches.ts'
import { allowOrigins } from './routes/cross-origin.ts'
import { deleteJobContent } from './routes/delete-job-content.ts'
import { documentationOf, leadTo } from './routes/documentation.ts'
import { getCredits } from './routes/get-credits.ts'
import { getJob } from './routes/get-job.ts'
import { getJobEvents } from './routes/get-job-events.ts'
import { getJobs } from './routes/get-jobs.ts'
import { getMe } from './routes/get-me.ts'
import { getMetadata } from './routes/get-metadata.ts'
import { getPlatforms } from './routes/get-platforms.ts'
import { getProfile } from './routes/get-profile.ts'
import { getReady } from './routes/get-ready.ts'
import { getSearch } from './routes/get-search.ts'
import { getTransactions } from './routes/get-transactions.ts'
import { getUsage } from './routes/get-usage.ts'
import { getChannel, getPlaylist } from './routes/get-youtube-lists.ts'
import { deleteJob, getJobDetails } from './routes/job-details.ts'
import { deleteKey, listKeys, postKey } from './routes/keys.ts'
import { type Mounted, mount } from './routes/mounted.ts'
import { handToPages, type Pages } from './routes/pages.ts'
import { postEstimate } from './routes/post-estimate.ts'
import { postExtract } from './routes/post-extract.ts'
import { postTranscript } from './routes/post-transcript.ts'
import { watchOperations } from './routes/watches.ts'
import { webhookOperations } from './routes/webhooks.ts'

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
  platforms: Pick<Platforms, 'standing' | 'searchable'>
  note: OwnerNote
  answers: Answers
  errors: ErrorObjects
  acceptance: Acceptance
  batches: Batches
  bodies: BatchBodies
  estimates: Estimates
  watch: JobWatch
  /** Removes the content of a job, by the rules of `forgetJob`. */
  forget(job: JobToForget): Promise<void>
  history: JobHistory
  /** The attempts of this process. There are none if the workers are elsewhere. */
  attempts: AttemptsUnderWay
  lookups: Lookups
  schemas: SchemaChecks
  ended: EndedJobs
  results: Results
  rates: RateLimits
  addressOf: AddressOf
  requestScheduler: RequestScheduler
  readiness: Readiness
  keys: KeyRing
  /** The keys of an organization, for `/v1/keys`. */
  ownKeys: Keys
  use: KeyUse
  watches: Watches
  webhooks: Webhooks
  deliveries: Deliveries
  details: OrganizationDetails
  /** Surfaces of other services, by path. */
  mounted: Readonly<Record<string, Mounted>>
  /** Pages for people; undefined: there are none. */
  pages: Pages | undefined
  concurrency: ConcurrencyLimit
  waits: EndWaits
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

/**
 * All routes. No path depends on the order, so the polls are first because they are most frequent. This is a router
 * without an Express app around it: no code here uses what an app adds to every request and answer.
 */
export function createRoutes(parts: Parts, options: IngressOptions): RequestListener {
  const { answers, pages } = parts
  const routes = Router(strict)
  addV1(routes, parts, options)
  const health: RequestHandler = (_request, response) => answers.text(response, 200, '{"status":"ok"}')
  routes.route('/health').all(named('/health')).get(health).all(readOnly)
  routes.route('/ready').all(named('/ready')).get(getReady(parts)).all(readOnly)
  // Handlers for whole paths: Express answers an invalid path parameter before the request is counted.
  const documentation = documentationOf(parts, options, pages?.path.slice(1))
  for (const [path, send] of documentation.assets) routes.get(path, named('/docs/{file}'), send)
  const toPages = pages && handToPages(parts, pages)
  if (pages && toPages)
    routes.use(pages.path, (request, response, next) =>
      request.url.startsWith(pages.assets) ? toPages(request, response, next) : next(),
    )
  // From here on, every request without a known key or session counts as anonymous.
  const admitted = admit(parts)
  routes.use(async (request, response, next) => {
    await admitted(request, response)
    next()
  })
  for (const [path, send] of documentation.pages) routes.route(path).all(named(path)).get(send).all(readOnly)
  const home = pages && toPages ? atFront(pages, toPages) : leadTo(parts, 'docs')
  routes.route('/').all(named('/')).get(home).all(readOnly)
  if (pages && toPages) routes.use(pages.path, toPages)
  routes.route('/docs/').all(named('/docs/')).get(leadTo(parts, '../docs')).all(readOnly)
  routes.route('/docs/guides').all(named('/docs/guides')).get(leadTo(parts, 'guides/quickstart')).all(readOnly)
  routes.route('/favicon.ico').all(named('/favicon.ico')).get(leadTo(parts, documentation.icon)).all(readOnly)
  routes.route('/docs/:file').all(named('/docs/{file}')).get(notFound).all(readOnly)
  for (const [path, mounted] of Object.entries(parts.mounted)) routes.all(path, named(path), mount(parts, mounted))
  routes.use(notFound)
  routes.use(answerErrors(parts))
  return inTurn(parts, routes, options.publicUrl?.startsWith('https:') ? 'https' : 'http')
}

/** Serves the front of the pages at `/`. */
const atFront =
  (pages: Pages, toPages: RequestHandler): RequestHandler =>
  (request, response, next) => {
    request.url = pages.front
    toPages(request, response, next)
  }

/** Begins each request in its turn, and sends its answer in turns too. */
function inTurn(
  { keys, pages, requestScheduler, addressOf, ids, clock, loop, telemetry }: Parts,
  routes: Router,
  scheme: RequestContext['scheme'],
): RequestListener {
  return (request, response) => {
    const address = addressOf(request)
    const keyHash = keyHashOf(request.headers)
    const client = clientOf(request, { address, keyHash }, { keys, pages })
    const send = (work: () => void): void => requestScheduler.send(client, work)
    const arrived = { requestId: ids.uuid(), address, startedAt: clock.now(), keyHash, inTurn: send, scheme }
    const context = new RequestContext(request, arrived, telemetry)
    setContext(response as Response, context)
    paceResponse(response, send)
    requestScheduler.begin(client, () => {
      // The caller has left.
      if (response.destroyed) return
      loop.note(context)
      // The routes answer every request. This runs only if answering itself fails.
      routes(request as Request, response as Response, () => response.destroy())
    })
  }
}

/** The routes under /v1. Each is one Express handler, because a further handler costs as much as the work of a poll. */
function addV1(routes: Router, parts: Parts, options: IngressOptions): void {
  const { light, heavy, polls } = parts.rates
  const { maxWaitSeconds } = options
  const answersQuestion = allowOrigins(parts, options)
  const admitted = admit(parts)
  const authenticated = authenticate(parts)
  /** True if the request continues. False for a browser's preflight request, which is answered here. */
  const isLetIn = async (request: Request, response: Response): Promise<boolean> => {
    if (answersQuestion(request, response)) return false
    await admitted(request, response)
    authenticated(request, response)
    return true
  }

  /** @param path as in the OpenAPI document, below /v1 */
  const serve = (path: string, operations: Operations): void => {
    const permitted = permit(operations, light)
    const route = `/v1${path}`
    routes.all(route.replaceAll(/\{(\w+)\}/g, ':$1'), async (request, response, next) => {
      if (!(await isLetIn(request, response))) return
      contextOf(response).route = route
      const { limit, answer } = await permitted(request, response)
      await limit(response)
      return answer(request, response, next)
    })
  }
  const reads = (answer: RequestHandler): Operations => ({ GET: { scope: 'read', limit: light, answer } })
  const begins = (answer: RequestHandler): Operation => ({ scope: 'jobs', limit: heavy, answer })
  const changes = (answer: RequestHandler): Operation => ({ scope: 'jobs', limit: light, answer })
  const keeps = (answer: RequestHandler): Operation => ({ scope: 'keys', limit: light, answer })
  const pollOf = (kind: JobKind): Operations => ({
    GET: { scope: 'read', limit: polls, answer: getJob(parts, { kind, maxWaitSeconds }) },
  })

  serve('/transcript/{jobId}', pollOf('transcript'))
  serve('/extract/{jobId}', pollOf('extraction'))
  serve('/transcript', { POST: begins(postTranscript(parts, { ...options.speech, ...options })) })
  serve('/extract', { POST: begins(postExtract(parts, options)) })
  serve('/metadata', reads(asksOutside(parts, getMetadata(parts))))
  serve('/search', reads(asksOutside(parts, getSearch(parts))))
  for (const { name } of profilePlatforms) serve(`/${name}/profile`, reads(asksOutside(parts, getProfile(parts, name))))
  const lists = (answer: RequestHandler): Operations => ({
    GET: { scope: 'read', limit: parts.rates.lists, answer: asksOutside(parts, answer) },
  })
  serve('/platforms', reads(getPlatforms(parts, options)))
  serve('/youtube/channel', lists(getChannel(parts)))
  serve('/youtube/playlist', lists(getPlaylist(parts)))
  serve('/estimate', {
    POST: { scope: 'read', limit: light, answer: asksOutside(parts, postEstimate(parts, options)) },
  })
  serve('/me', reads(getMe(parts)))
  serve('/jobs', reads(getJobs(parts)))
  serve('/jobs/{jobId}', { ...reads(getJobDetails(parts)), DELETE: changes(deleteJob(parts, options)) })
  serve('/jobs/{jobId}/content', { DELETE: changes(deleteJobContent(parts)) })
  serve('/jobs/{jobId}/events', reads(getJobEvents(parts)))
  serve('/usage', reads(getUsage(parts, options)))
  serve('/credits', reads(getCredits(parts)))
  serve('/credits/transactions', reads(getTransactions(parts)))
  serve('/keys', { GET: keeps(listKeys(parts)), POST: keeps(postKey(parts, options)) })
  serve('/keys/{id}', { DELETE: keeps(deleteKey(parts)) })
  for (const [path, operations] of Object.entries(webhookOperations(parts, options))) serve(path, operations)
  for (const [path, operations] of Object.entries(batchOperations(parts, options))) serve(path, operations)
  for (const [path, operations] of Object.entries(watchOperations(parts, options))) serve(path, operations)

  const elsewhere: RequestHandler = async (request, response, next) => {
    if (!(await isLetIn(request, response))) return
    await light(response)
    if (!isDecodable(request.url)) throw invalidRequest({ path: 'path', message: 'is not percent-encoded properly' })
    notFound(request, response, next)
  }
  // Express throws for such a path before the caller is admitted and the request counted.
  const undecodable: ErrorRequestHandler = (error, request, response, next) =>
    error instanceof URIError ? elsewhere(request, response, next) : next(error)
  routes.use('/v1', elsewhere, undecodable)
}

/**
 * For routes that read outside hosts for free: counts the request, and makes its calls spans below that of the request.
 * The other routes have no such spans.
 */
const asksOutside =
  ({ telemetry }: Parts, answer: RequestHandler): RequestHandler =>
  (request, response, next) => {
    const context = contextOf(response)
    context.isFreeRead = true
    return telemetry.isExported
      ? telemetry.within(context.traceparent, () => answer(request, response, next))
      : answer(request, response, next)
  }

/** @param url of a request */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '')
    return true
  } catch {
    return false
  }
}
