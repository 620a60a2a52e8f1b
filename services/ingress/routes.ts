import type { RequestListener } from 'node:http'
import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express'
import type { KeyRing } from '#packages/accounts/keys/key-ring.ts'
import type { KeyUse } from '#packages/accounts/keys/key-use.ts'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { answerErrors, notFound } from './answers/answer-errors.ts'
import type { Answers } from './answers/answers.ts'
import { paceResponse } from './answers/pace-response.ts'
import { admit, clientOf } from './authentication/admit.ts'
import { authenticate } from './authentication/authenticate.ts'
import { notAllowed, type Operations, permit } from './authentication/permit.ts'
import { keyHashOf } from './authentication/presented-key.ts'
import type { AddressOf } from './connections/address-group.ts'
import type { RequestScheduler } from './connections/request-scheduler.ts'
import type { RateLimits } from './limits/rate-limits.ts'
import type { IngressOptions } from './options.ts'
import { contextOf, RequestContext, setContext } from './requests/request-context.ts'
import { allowOrigins } from './routes/cross-origin.ts'
import { documentationOf, leadTo } from './routes/documentation.ts'
import { handToPages, type Pages } from './routes/pages.ts'

/** How `/v1` admits and answers requests. */
type Gate = { answers: Answers; keys: KeyRing; use: KeyUse; rates: RateLimits; pages: Pages | undefined }

/** What is served. */
type Served = {
  /** The operations of `/v1`, by path as in the OpenAPI document, below `/v1`. */
  operations: Readonly<Record<string, Operations>>
  /** GET /ready */
  ready: RequestHandler
  /** Surfaces of other services, by path. */
  mounted: Readonly<Record<string, RequestHandler>>
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
export function createRoutes(
  gate: Gate & { telemetry: Telemetry },
  { operations, ready, mounted }: Served,
  options: IngressOptions,
): Router {
  const { answers, pages } = gate
  const routes = Router(strict)
  addV1(routes, gate, operations, options)
  const serve = (path: string, answer: RequestHandler): unknown =>
    routes.route(path).all(named(path)).get(answer).all(readOnly)
  serve('/health', (_request, response) => answers.text(response, 200, '{"status":"ok"}'))
  serve('/ready', ready)
  // Handlers for whole paths: Express answers an invalid path parameter before the request is counted.
  const documentation = documentationOf(gate, options, pages?.path.slice(1))
  for (const [path, send] of documentation.assets) routes.get(path, named('/docs/{file}'), send)
  const toPages = pages && handToPages(gate, pages)
  if (pages && toPages)
    routes.use(pages.path, (request, response, next) =>
      request.url.startsWith(pages.assets) ? toPages(request, response, next) : next(),
    )
  // From here on, every request without a known key or session counts as anonymous.
  const admitted = admit(gate)
  routes.use(async (request, response, next) => {
    await admitted(request, response)
    next()
  })
  for (const [path, send] of documentation.pages) serve(path, send)
  serve('/', pages && toPages ? atFront(pages, toPages) : leadTo(gate, 'docs'))
  if (pages && toPages) routes.use(pages.path, toPages)
  serve('/docs/', leadTo(gate, '../docs'))
  serve('/docs/guides', leadTo(gate, 'guides/quickstart'))
  serve('/favicon.ico', leadTo(gate, documentation.icon))
  routes.route('/docs/:file').all(named('/docs/{file}')).get(notFound).all(readOnly)
  for (const [path, answer] of Object.entries(mounted)) routes.all(path, named(path), answer)
  routes.use(notFound)
  routes.use(answerErrors(gate))
  return routes
}

/** Serves the front of the pages at `/`. */
const atFront =
  (pages: Pages, toPages: RequestHandler): RequestHandler =>
  (request, response, next) => {
    request.url = pages.front
    toPages(request, response, next)
  }

type Turns = {
  keys: KeyRing
  pages: Pages | undefined
  requestScheduler: RequestScheduler
  addressOf: AddressOf
  ids: Ids
  clock: Clock
  loop: LoopMonitor
  telemetry: Telemetry
}

/** Begins each request in its turn, and sends its answer in turns too. */
export function inTurn(
  { keys, pages, requestScheduler, addressOf, ids, clock, loop, telemetry }: Turns,
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
      loop.note(context.section)
      // The routes answer every request. This runs only if answering itself fails.
      routes(request as Request, response as Response, () => response.destroy())
    })
  }
}

/** The routes under /v1. Each is one Express handler, because a further handler costs as much as the work of a poll. */
function addV1(routes: Router, gate: Gate, operations: Served['operations'], options: IngressOptions): void {
  const { light } = gate.rates
  const answersQuestion = allowOrigins(gate, options)
  const admitted = admit(gate)
  const authenticated = authenticate(gate)
  /** True if the request continues. False for a browser's preflight request, which is answered here. */
  const isLetIn = async (request: Request, response: Response): Promise<boolean> => {
    if (answersQuestion(request, response)) return false
    await admitted(request, response)
    authenticated(request, response)
    return true
  }
  for (const [path, methods] of Object.entries(operations)) {
    const permitted = permit(methods, light)
    const route = `/v1${path}`
    routes.all(route.replaceAll(/\{(\w+)\}/g, ':$1'), async (request, response, next) => {
      if (!(await isLetIn(request, response))) return
      contextOf(response).route = route
      const { limit, answer } = await permitted(request, response)
      await limit(response)
      return answer(request, response, next)
    })
  }
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

/** @param url of a request */
function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '')
    return true
  } catch {
    return false
  }
}
