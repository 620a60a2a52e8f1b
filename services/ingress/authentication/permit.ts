import type { Request, RequestHandler, Response } from 'express'
import { assertScope } from '#packages/accounts/keys/assert-scope.ts'
import { hasScope, type Scope } from '#packages/domain/key/grant.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Limit } from '../limits/rate-limits.ts'
import { callerOf, contextOf } from '../requests/request-context.ts'

/** One method of a route: the scope that a key needs, the limit that it counts against, and the handler. */
export type Operation = { scope: Scope; limit: Limit; answer: RequestHandler }

/** The methods of a route. */
export type Operations = Partial<Record<'GET' | 'POST' | 'PATCH' | 'DELETE', Operation>>

const words = new Intl.ListFormat('en', { type: 'disjunction' })

/** @param allowed the methods that the path has, for `Allow` */
export function notAllowed(request: Request, response: Response, allowed: string): never {
  contextOf(response).headers.push('Allow', allowed)
  throw new ServiceError(
    'method_not_allowed',
    `${request.method} is not allowed here. Use ${words.format(allowed.split(', '))}.`,
  )
}

/**
 * Finds the operation of a request. The route must have the method, and the key must have its scope. Any other request
 * counts against `light`.
 * @throws ServiceError rate_limited, method_not_allowed, forbidden
 */
export function permit(operations: Operations, light: Limit) {
  const known = new Map<string, Operation>(Object.entries(operations))
  const allowed = [...known.keys()].map((method) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ')
  return (request: Request, response: Response): Operation | Promise<Operation> => {
    const operation = known.get(request.method === 'HEAD' ? 'GET' : request.method)
    const isPermitted = operation !== undefined && hasScope(callerOf(response).grant, operation.scope)
    return isPermitted ? operation : refuse(request, response, operation)
  }

  async function refuse(request: Request, response: Response, operation: Operation | undefined): Promise<Operation> {
    await light(response)
    if (operation === undefined) notAllowed(request, response, allowed)
    assertScope(callerOf(response).grant, operation.scope)
    return operation
  }
}
