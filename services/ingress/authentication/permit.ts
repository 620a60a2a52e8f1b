import type { Request, RequestHandler, Response } from 'express'
import { hasScope, type Scope } from '#packages/domain/key/grant.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import { assertScope } from '#packages/keys/assert-scope.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import { callerOf, contextOf } from '../requests/request-context.ts'

/** The methods of a route, each with the scope that a key needs for it. */
export type Methods = Partial<Record<'GET' | 'POST' | 'DELETE', Scope>>

/** @param allowed the methods that the path has, for `Allow` */
export function notAllowed(request: Request, response: Response, allowed: string): never {
  contextOf(response).headers.push('Allow', allowed)
  throw new ServiceError('method_not_allowed', `${request.method} is not allowed here.`)
}

/** Lets a request pass whose method the route has and whose key has the scope for it. Others count as light requests. */
export function permit(methods: Methods, rates: RateLimits): RequestHandler {
  const scopes = new Map(Object.entries(methods))
  const allowed = [...scopes.keys()].map((method) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ')
  return async (request, response, next) => {
    const scope = scopes.get(request.method === 'HEAD' ? 'GET' : request.method)
    const { grant } = callerOf(response)
    if (scope !== undefined && hasScope(grant, scope)) return next()
    await rates.lightRequests(1, response)
    if (scope === undefined) notAllowed(request, response, allowed)
    assertScope(grant, scope)
  }
}
