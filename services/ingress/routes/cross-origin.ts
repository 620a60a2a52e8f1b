import type { Request, Response } from 'express'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import type { Answers } from '../answers/answers.ts'
import type { IngressOptions } from '../options.ts'
import { contextOf } from '../requests/request-context.ts'

type Named = { name?: string; in?: string }
type Described = {
  paths: Record<string, Record<string, { parameters?: Named[]; responses: Record<string, { headers?: object }> }>>
  components: Record<'parameters' | 'securitySchemes', Record<string, Named>> & {
    responses: Record<string, { headers?: object }>
  }
}

const { paths, components } = openapi as unknown as Described
const operations = Object.values(paths).flatMap((path) => Object.values(path))

const list = (names: readonly string[]): string => [...new Set(names)].sort().join(', ')

/** The documented headers that a page may send, and those that it may read. */
const sent = list([
  'Content-Type',
  ...[components.parameters, components.securitySchemes, ...operations.map(({ parameters = [] }) => parameters)]
    .flatMap((described) => Object.values(described) as Named[])
    .flatMap(({ name, in: place }) => (place === 'header' && name !== undefined ? [name] : [])),
])
const received = list(
  [components.responses, ...operations.map(({ responses }) => responses)]
    .flatMap((responses) => Object.values(responses))
    .flatMap(({ headers = {} }) => Object.keys(headers)),
)

/** How long a browser may cache the preflight answer, seconds. */
const MAX_AGE_SECONDS = 600

/**
 * Lets pages of the configured origins (CORS_ORIGINS) call the routes that use this (Fetch standard, CORS). A browser
 * sends a preflight request without a key first. It is answered before requests are counted, so it costs nothing.
 * Credentials such as cookies are never allowed, because the key is a header.
 * @returns true if the request was a preflight, which is answered then
 */
export const allowOrigins =
  ({ answers }: { answers: Answers }, { corsOrigins }: Pick<IngressOptions, 'corsOrigins'>) =>
  ({ method, headers: asked }: Request, response: Response): boolean => {
    if (corsOrigins.length === 0) return false
    const { origin } = asked
    const { headers } = contextOf(response)
    headers.push('Vary', 'Origin')
    if (origin === undefined || !corsOrigins.includes(origin)) return false
    // The page may read the answer, whatever it will be.
    headers.push('Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', received)
    if (method !== 'OPTIONS' || asked['access-control-request-method'] === undefined) return false
    answers.empty(response, 204, {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PATCH, DELETE',
      'Access-Control-Allow-Headers': sent,
      'Access-Control-Max-Age': String(MAX_AGE_SECONDS),
    })
    return true
  }
