/**
 * The pages for people, below one path of the ingress. Each page is a function in `pages/` that takes the request's
 * context. `routes.ts` lists the pages and who may use them. `http/` turns requests into contexts, and answers into
 * responses. `look/` has what all pages share.
 */
import { randomBytes } from 'node:crypto'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import { ownPagesOf } from '#packages/foundation/config/own-pages.ts'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { serviceErrorOf } from '#packages/foundation/errors/service-error-of.ts'
import { icon } from '#packages/foundation/page-files/icon.ts'
import { type Assets, makeAssets } from './assets.ts'
import { Flashes } from './http/flash.ts'
import { flashedErrorOf } from './http/flashed-error.ts'
import { isOurOwn } from './http/origin.ts'
import { type ContextParts, type Handed, pageContextOf, SignInNeeded } from './http/page-context.ts'
import { setSecurityHeaders } from './http/security-headers.ts'
import { sendAnswer } from './http/send-answer.tsx'
import { errorPage } from './look/error-page.tsx'
import type { LayoutParts } from './look/layout.tsx'
import { noticeOf } from './notices.ts'
import type { DashboardOptions } from './options.ts'
import type { DashboardResources } from './parts.ts'
import { type Answer, type PageContext, type Route, redirect } from './route.ts'
import { routesOf } from './routes.ts'

/** For forms that anyone may send. None of their fields is longer than a path. */
const MAX_FORM_BYTES = 16 * 1024

/** For `Try it`: the largest body of `/v1`, with every character percent-encoded. */
const MAX_CALL_BYTES = 3 * 64 * 1024

/** For long forms: about 5,000 URLs, percent-encoded. Larger lists go through `/v1`. */
const MAX_LONG_BYTES = 512 * 1024

const formsUpTo = (limit: number): RequestHandler => express.text({ type: 'application/x-www-form-urlencoded', limit })

/** Only with a session. Visitors without one can make us hold little in memory. */
const ofKnown =
  (reads: RequestHandler): RequestHandler =>
  (request, response, next) =>
    (response.locals.about as Handed).visitor === undefined ? next() : reads(request, response, next)

export type Dashboard = { answer(request: Request, response: Response, about: Handed): void }

/** @param root its path as browsers see it */
export async function createDashboard(
  root: string,
  resources: DashboardResources,
  options: DashboardOptions,
): Promise<Dashboard> {
  const app = appOf(root, resources, options, await makeAssets())
  return {
    answer(request, response, about) {
      response.locals.about = about
      app(request, response)
    },
  }
}

function appOf(root: string, resources: DashboardResources, options: DashboardOptions, assets: Assets): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', false)
  app.use('/assets', sendAsset(assets))
  app.use((request, response, next) => {
    response.locals.nonce = randomBytes(16).toString('base64')
    setSecurityHeaders(response, response.locals.nonce)
    if (request.method !== 'POST' || isOurOwn(request.headers, options.publicUrl)) return next()
    next(new ServiceError('forbidden', 'This form was sent from another site. Open the page here and try again.'))
  })
  app.use('/org/:orgId/try', ofKnown(formsUpTo(MAX_CALL_BYTES)))
  const routes = routesOf(resources, { ...options, root })
  for (const route of routes) if ('isLong' in route) app.use(route.path, ofKnown(formsUpTo(MAX_LONG_BYTES)))
  // Skips a form that has already been read.
  app.use(formsUpTo(MAX_FORM_BYTES))
  const foot = ownPagesOf(options)
  const fixed = { assets, flashes: new Flashes(resources.ports), foot, isOpen: options.signup === 'open' }
  const { customers, limits, closing } = resources
  const serve = server(root, { ...customers, ...limits, closing }, options, fixed)
  for (const route of routes) {
    const handlers = app.route(route.path)
    if (route.get) handlers.get(serve(route, route.get as Handler))
    if (route.post) handlers.post(serve(route, route.post as Handler))
    handlers.all(() => {
      throw new ServiceError('method_not_allowed', 'This page does not accept that method.')
    })
  }
  app.use(
    serve({ path: '', access: 'anyone' }, () => {
      throw new ServiceError('not_found', 'There is no such page.')
    }),
  )
  app.use(serveError(root, fixed))
  return app
}

type Fixed = Pick<LayoutParts, 'foot' | 'isOpen'> & { assets: Assets; flashes: Flashes }

type Handler = (context: PageContext) => Answer | Promise<Answer>

/** Serves a route. Turns its errors into pages, and redirects visitors who must sign in first. */
const server =
  (root: string, parts: ContextParts, options: DashboardOptions, fixed: Fixed) =>
  (route: Pick<Route, 'path' | 'access'>, handler: Handler): RequestHandler =>
  async (request, response) => {
    const about = response.locals.about as Handed
    const { flashes } = fixed
    about.servedBy(route.path)
    const flash = request.method === 'GET' ? flashes.in(request.headers, request.url) : undefined
    // Shown once: even if the page fails, a reload does not show it again.
    if (flash !== undefined) flashes.clear(response)
    let context: PageContext | undefined
    let answer: Answer
    const { access } = route
    const isOfPage = 'isOfPage' in route
    try {
      context = await pageContextOf(parts, options, request, response, { access, isOfPage, about, flash })
      answer = await handler(context)
    } catch (error) {
      answer = errorAnswer(error, request, { root, about, context, isForm: request.method === 'POST' })
    }
    const { nonce } = response.locals
    const { visitor, org, signal = new AbortController().signal, query } = context ?? {}
    const notice = query && noticeOf(query)
    await sendAnswer(response, answer, { ...fixed, root, nonce, visitor, org, notice, signal, about })
  }

function errorAnswer(
  error: unknown,
  request: Request,
  {
    root,
    about,
    context,
    isForm,
  }: {
    root: string
    about: Handed
    context: PageContext | undefined
    /** The form came from one of our pages, so a separate page explains what went wrong. */
    isForm: boolean
  },
): Answer {
  if (error instanceof SignInNeeded) {
    // A stream of events cannot be redirected. An empty answer ends it permanently, and its page then reloads itself.
    if (request.headers.accept === 'text/event-stream') return { type: 'data', status: 204, body: null }
    const wanted = request.method === 'GET' && request.url !== '/' ? `?next=${encodeURIComponent(request.url)}` : ''
    return redirect(`/sign-in${wanted}`)
  }
  const { shownId: requestId } = about
  const known = serviceErrorOf(error)
  if (known.status >= 500 && known.cause !== undefined) about.failed(known)
  if (isForm) return redirect('/problem', { flash: { error: flashedErrorOf(known, about) } })
  return errorPage(known, { root, requestId, org: context?.org })
}

/** Errors before a route is reached, such as a form that is too large. */
const serveError =
  (root: string, fixed: Fixed): express.ErrorRequestHandler =>
  async (error, request, response, next) => {
    if (response.headersSent) return next(error)
    const about = response.locals.about as Handed
    const known = errorOfForm(error) ?? error
    const isForm = known !== error
    const answer = errorAnswer(known, request, { root, about, context: undefined, isForm })
    const nonce = response.locals.nonce ?? ''
    const around = { ...fixed, root, nonce, visitor: undefined, org: undefined, about }
    await sendAnswer(response, answer, { ...around, notice: undefined, signal: new AbortController().signal })
  }

/** Why a form could not be read, such as an unknown charset or a body that its sender cut off. */
function errorOfForm(error: { type?: string; status?: number }): ServiceError | undefined {
  if (error.type === 'entity.too.large') return new ServiceError('payload_too_large', 'The form is too large.')
  const isSenders = error.status !== undefined && error.status >= 400 && error.status < 500
  return isSenders && !(error instanceof ServiceError || error instanceof URIError)
    ? invalidRequest({ path: 'form', message: 'cannot be read' })
    : undefined
}

/**
 * Serves the assets. Browsers cache them permanently, because each name contains a hash of the file. An unknown name
 * gets no error page, and its path is not decoded: no rate limit counts these requests, so they must be cheap.
 */
const sendAsset =
  ({ byName }: Assets): RequestHandler =>
  (request, response) => {
    const name = request.path.slice(1)
    if (name === 'icon.svg') {
      response.set('Cache-Control', 'public, max-age=86400').type('svg').send(icon)
      return
    }
    const asset = byName.get(name)
    if (asset === undefined) return void response.sendStatus(404)
    response.set({ 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Content-Type-Options': 'nosniff' })
    response.type(asset.mediaType).vary('Accept-Encoding')
    if (request.acceptsEncodings('gzip', 'identity') !== 'gzip') response.send(asset.body)
    else response.set('Content-Encoding', 'gzip').send(asset.gzipped)
  }
