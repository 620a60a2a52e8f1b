import { expect } from 'chai'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { allScopes, type Scope } from '#packages/domain/key/grant.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { openedForAll } from '#test/doubles/opened.ts'

/** Every operation under /v1 in the OpenAPI document. */
const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  path.startsWith('/v1/') ? Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })) : [],
)

/** The scope that an operation needs, by the rule in the customers' documentation. */
function scopeOf({ method, path }: { method: string; path: string }): Scope {
  if (path.startsWith('/v1/keys')) return 'keys'
  if (path.startsWith('/v1/webhooks')) return 'webhooks'
  return method === 'GET' || path === '/v1/estimate' ? 'read' : 'jobs'
}

describe('a key with scopes', () => {
  // Here every operation is called once with each scope.
  const options = { rates: { ...ingressDefaults.rates, light: 1000 } }
  const ingress = openedForAll(() => startIngress({ clock, options }))
  let acme: Awaited<ReturnType<StartedIngress['org']>>
  let keyOf: Record<Scope, string>
  before(async () => {
    acme = await ingress.org()
    const made = await Promise.all(allScopes.map(async (scope) => [scope, await acme.keyWith(scope)]))
    keyOf = Object.fromEntries(made)
  })

  const call = ({ method, path }: { method: string; path: string }, key: string) =>
    ingress.call(method, path.replaceAll(/\{\w+\}/g, 'x'), {
      key,
      ...(['POST', 'PATCH'].includes(method) && { json: {} }),
    })

  it('is admitted with exactly one of them, at every operation of the OpenAPI document', async () => {
    expect(operations).to.have.length.greaterThan(10)
    for (const operation of operations) {
      const required = scopeOf(operation)
      const what = `${operation.method} ${operation.path}`
      for (const scope of allScopes) {
        const { status, body } = await call(operation, keyOf[scope])
        const forbidden = [403, 'forbidden', { reason: 'scope', required }]
        if (scope === required) expect(body?.details?.reason, what).to.not.equal('scope')
        else expect([status, body?.error, body?.details], what).to.deep.equal(forbidden)
      }
    }
  })

  it('uses up a light request when it is refused, and writes nothing', async () => {
    const before = await acme.ledger()
    const json = { url: 'https://cdn.example.com/film.mp4', mode: 'native' }
    const { status, headers } = await ingress.call('POST', '/v1/transcript', { key: keyOf.read, json })
    expect([status, headers.get('x-ratelimit-limit')]).to.deep.equal([403, '1000'])
    expect(await acme.ledger()).to.deep.equal(before)
  })

  it('gets the same answers as any other key at unknown methods and paths', async () => {
    const put = await ingress.call('PUT', '/v1/keys', { key: keyOf.read })
    expect([put.status, put.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD, POST'])
    expect((await ingress.call('GET', '/v1/nowhere', { key: keyOf.jobs })).status).to.equal(404)
  })

  it('may read the headers of what it may GET, and of nothing else', async () => {
    const head = async (path: string) =>
      (await fetch(ingress.base + path, { method: 'HEAD', headers: { 'x-api-key': keyOf.read } })).status
    expect([await head('/v1/me'), await head('/v1/keys')]).to.deep.equal([200, 403])
  })
})
