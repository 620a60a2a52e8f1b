import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect } from 'chai'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }

type ReceivedAnswer = { status: number; headers: Headers; text: string; body: unknown }
type Operation = { responses: Record<string, { $ref?: string; content?: Record<string, { schema: object }> }> }

const ajv = new Ajv2020({ strict: false })
formats.default(ajv)
ajv.addSchema(openapi, 'openapi')

const paths = Object.entries(openapi.paths as unknown as Record<string, Record<string, Operation>>).map(
  ([template, operations]) => ({ pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`), operations }),
)

/** The place in the document that describes the body of an answer, or `string`. Undefined: no route describes it. */
function schemaOf(method: string, path: string, status: number, type: string): string | undefined {
  const known = paths.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''))
  const response = known?.operations[method.toLowerCase()]?.responses[status]
  if (response === undefined) return undefined
  const { $ref } = response
  const name = $ref?.split('/').at(-1)
  const found =
    name === undefined ? response : (openapi.components.responses as unknown as Operation['responses'])[name]
  const schema = found?.content?.[type]?.schema as
    | { $ref?: string; items?: { $ref: string }; type?: string }
    | undefined
  return schema?.$ref ?? schema?.items?.$ref ?? schema?.type
}

const errorSchema = '#/components/schemas/ErrorObject'

/** Statuses that every route may answer, though no operation lists them all. */
const everywhere = [401, 404, 405, 413, 415, 429, 500, 503]

/** A poll, or a POST that waited for the end of its job. */
const aPoll = /^GET \/v1\/(transcript|extract)\/[^/?]+(\?|$)|^POST \/v1\/(transcript|extract)(\?|$)/

/**
 * The Cache-Control that an answer of /v1 must have (RFC 9111). No shared cache may keep one: a path has another answer
 * for each organization, and caches ignore the header with the key. The caller's own cache may keep a poll, and asks
 * each time whether it is still valid.
 */
const cacheControlOf = (method: string, path: string, status: number): string =>
  aPoll.test(`${method} ${path}`) && [200, 304, 504].includes(status) ? 'private, no-cache' : 'no-store'

/** Asserts that the contract describes the status, the body fits it, and the required headers are there. */
export function assertInContract(method: string, path: string, { status, headers, text, body }: ReceivedAnswer): void {
  const what = `${method} ${path.slice(0, 60)} ${status} ${text.slice(0, 200)}`
  expect(headers.get('x-request-id'), what).to.match(/^[\w.:-]{1,64}$/)
  const counted = path.startsWith('/v1/') && status !== 401
  for (const name of counted ? ['limit', 'remaining', 'reset'] : []) {
    expect(headers.get(`x-ratelimit-${name}`), `${what} ${name}`).to.match(/^\d+$/)
  }
  if (path.startsWith('/v1/')) expect(headers.get('cache-control'), what).to.equal(cacheControlOf(method, path, status))
  if (status === 304) return
  if (status < 400 && !path.startsWith('/v1') && path !== '/health') return
  const type = headers.get('content-type')?.split(';', 1)[0] ?? ''
  const described = schemaOf(method, path, status, type)
  const schema = described ?? (status >= 400 ? errorSchema : undefined)
  if (described === undefined && status >= 400 && status !== 400) {
    expect(everywhere, what).to.include(status)
  }
  expect(schema, `${what} is not in the OpenAPI document`).to.be.a('string')
  if (schema === 'string') return
  const validate = ajv.getSchema(`openapi${schema}`)
  for (const one of Array.isArray(body) ? body : [body]) {
    expect(validate?.(one), `${what} ${JSON.stringify(validate?.errors)}`).to.equal(true)
  }
}

/** Asserts that the contract describes a webhook's message. */
export function assertMessageInContract(body: string): void {
  const { type } = JSON.parse(body) as { type: keyof typeof openapi.webhooks }
  const described = openapi.webhooks[type]?.post.requestBody.content['application/json'].schema.$ref
  expect(described, `${type} is not in the OpenAPI document`).to.be.a('string')
  const validate = ajv.getSchema(`openapi${described}`)
  expect(validate?.(JSON.parse(body)), `${body} ${JSON.stringify(validate?.errors)}`).to.equal(true)
}
