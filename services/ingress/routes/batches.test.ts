import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { eachIngress } from '#test/doubles/ingress/each-ingress.ts'

const captions = { operation: 'transcript', options: { mode: 'native' } }
const unknown = '0197c0de-0000-7000-8000-000000000001'
const videos = (count: number): string[] => Array.from({ length: count }, (_, n) => `https://cdn.example.com/${n}.mp4`)

describe('batches', () => {
  const { ingress, acme } = eachIngress(() => ({ clock }), 'starter')

  const send = (type: string, body: string, { query = '', key = acme.key } = {}) =>
    ingress.call('POST', `/v1/batches${query}`, { key, raw: body, headers: { 'content-type': type } })

  it('are made, listed, shown with their items, and cancelled', async () => {
    const made = await acme.post('/v1/batches', { ...captions, requests: videos(3), maxCredits: 2, itemWebhooks: true })
    expect(made.status).to.equal(202)
    const { batchId } = made.body
    expect(made.headers.get('location')).to.equal(`/v1/batches/${batchId}`)
    expect(made.body).to.deep.include({
      ...captions,
      ...{ source: null, since: null, limit: 3, status: 'running', reason: null, complete: true, cancelled: false },
      ...{ items: 3, skippedLines: 0, itemWebhooks: true, createdBy: acme.keyId, endedAt: null },
      counts: { queued: 3, working: 0, completed: 0, failed: 0, cancelled: 0 },
      credits: { held: 2, charged: 0, returned: 0 },
    })
    const { batches, nextCursor } = (await acme.get('/v1/batches')).body
    expect(batches).to.deep.include.members([
      {
        ...{ batchId, operation: 'transcript', status: 'running', reason: null, items: 3, completed: 0, failed: 0 },
        ...{ credits: { held: 2, charged: 0 }, createdAt: made.body.createdAt, endedAt: null },
      },
    ])
    expect(nextCursor).to.equal(null)
    const first = (await acme.get(`/v1/batches/${batchId}/items?limit=2&state=queued`)).body
    expect(
      first.items.map(({ item, lines, state }: Record<string, unknown>) => ({ item, lines, state })),
    ).to.deep.equal([
      { item: 0, lines: [1], state: 'queued' },
      { item: 1, lines: [2], state: 'queued' },
    ])
    const rest = (await acme.get(`/v1/batches/${batchId}/items?cursor=${first.nextCursor}`)).body
    expect(rest.items.map(({ item }: { item: number }) => item)).to.deep.equal([2])
    expect((await acme.remove(`/v1/batches/${batchId}`)).body).to.deep.include({ cancelled: true })
    expect((await acme.get(`/v1/batches/${batchId}`)).body.counts).to.deep.include({ queued: 0, cancelled: 3 })
  })

  it('are the same for a repeat under an Idempotency-Key, which refuses a different request', async () => {
    const ask = (requests: string[]) =>
      ingress.call('POST', '/v1/batches', {
        key: acme.key,
        json: { ...captions, requests },
        headers: { 'idempotency-key': 'one' },
      })
    const first = await ask(videos(2))
    expect((await ask(videos(2))).body.batchId).to.equal(first.body.batchId)
    expect((await acme.get('/v1/credits')).body).to.deep.include({ held: 2 })
    expect((await ask(videos(1))).body).to.deep.include({ error: 'idempotency_conflict' })
  })

  it('are limited by the plan: the number of items, and on Free the size of one job’s body', async () => {
    const poor = await ingress.org('free')
    const many = await poor.post('/v1/batches', { ...captions, requests: videos(21) })
    expect(many.status).to.equal(403)
    expect(many.body.details).to.deep.equal({ reason: 'plan', required: 21, remaining: 20 })
    const large = `${JSON.stringify(captions)}\n${'"https://cdn.example.com/film.mp4"\n'.repeat(2100)}`
    expect((await send('application/x-ndjson', large, { key: poor.key })).body.error).to.equal('payload_too_large')
    expect((await send('application/x-ndjson', large)).body.details).to.deep.equal({
      ...{ reason: 'plan', required: 2100, remaining: 500 },
    })
    expect((await poor.get('/v1/credits')).body).to.deep.include({ held: 0 })
  })

  it('hold nothing if the credits do not cover them, and report how many are missing', async () => {
    const refused = await acme.post('/v1/batches', {
      operation: 'transcript',
      ...{ options: { mode: 'generate' }, requests: videos(500) },
    })
    expect(refused.status).to.equal(403)
    expect(refused.body.details).to.include({ reason: 'insufficient_credits', required: 2500 })
    expect((await acme.get('/v1/credits')).body).to.deep.include({ held: 0 })
    expect((await acme.get('/v1/batches')).body.batches).to.deep.equal([])
  })

  const refusals: [string, object, string][] = [
    ['neither requests nor source', captions, 'requests'],
    ['no request', { ...captions, requests: [] }, 'requests'],
    ['both', { ...captions, requests: videos(1), source: { type: 'search', q: 'films' }, limit: 1 }, 'source'],
    ['a source without limit', { ...captions, source: { type: 'search', q: 'films' } }, 'limit'],
    ['a limit without source', { ...captions, requests: videos(1), limit: 1 }, 'limit'],
    ['since that is no time', { ...captions, source: { type: 'search', q: 'a' }, limit: 1, since: 'now' }, 'since'],
    ['an unknown field', { ...captions, requests: videos(1), urls: [] }, 'urls'],
    ['a wrong option', { operation: 'transcript', options: { mode: 'fast' }, requests: videos(1) }, 'options.mode'],
    ['an option of one job', { operation: 'transcript', options: { url: '' }, requests: videos(1) }, 'options.url'],
    ['fewer credits than one item', { ...captions, options: {}, requests: videos(1), maxCredits: 4 }, 'maxCredits'],
    ['a request with more than a URL', { ...captions, requests: [{ url: videos(1)[0], mode: 'auto' }] }, 'requests.0'],
  ]
  for (const [what, body, path] of refusals)
    it(`are refused with ${what}, naming ${path}`, async () => {
      const { status, body: refusal } = await acme.post('/v1/batches', body)
      expect({ status, path: refusal.details?.[0]?.path }).to.deep.equal({ status: 400, path })
    })

  it('name every invalid line, however many there are', async () => {
    const lines = [JSON.stringify(captions), ...Array.from({ length: 300 }, (_, n) => JSON.stringify(`nothing ${n}`))]
    const { status, body } = await send('application/x-ndjson', lines.join('\n'))
    expect(status).to.equal(400)
    const named = body.details.map(({ line }: { line: number }) => line)
    expect(named).to.deep.equal(Array.from({ length: 300 }, (_, n) => n + 2))
    expect(body.message.length).to.be.lessThan(300)
  })

  it('accept a table, with everything but the requests in the query, and no other types', async () => {
    const table = 'name,URL\n"a, b",https://cdn.example.com/1.mp4\n'
    expect((await send('text/csv', table)).body.details[0].path).to.equal('batch')
    expect((await send('text/csv', table, { query: '?batch=%7B' })).body.details[0].path).to.equal('batch')
    const query = `?batch=${encodeURIComponent(JSON.stringify(captions))}`
    expect((await send('text/csv', table, { query })).body).to.deep.include({ items: 1 })
    expect((await send('text/csv', 'name\na\n', { query })).body.details[0].path).to.equal('body')
    expect((await send('text/plain', table)).body.error).to.equal('unsupported_media_type')
  })

  it('need the scope of what they begin, and are visible to their own organization only', async () => {
    const { batchId } = (await acme.post('/v1/batches', { ...captions, requests: videos(1) })).body
    const reader = await acme.keyWith('read')
    const beginner = await acme.keyWith('jobs')
    const ask = (key: string, method: string, path: string, json?: object) =>
      ingress.call(method, path, { key, ...(json && { json }) })
    const asked = { ...captions, requests: videos(1) }
    expect((await ask(reader, 'POST', '/v1/batches', asked)).body.details).to.deep.include({ required: 'jobs' })
    expect((await ask(reader, 'DELETE', `/v1/batches/${batchId}`)).body.details).to.deep.include({ required: 'jobs' })
    const told = { ...asked, webhookUrl: 'https://hooks.example.com/' }
    expect((await ask(beginner, 'POST', '/v1/batches', told)).body.details).to.deep.include({ required: 'webhooks' })
    const other = await ingress.org('starter')
    for (const path of ['', '/items', '/results', '/events'])
      for (const id of [batchId, unknown, 'x'])
        expect((await other.get(`/v1/batches/${id}${path}`)).status, path).to.equal(404)
    expect((await ask(other.key, 'DELETE', `/v1/batches/${batchId}`)).status).to.equal(404)
  })

  it('have SRT for transcripts only', async () => {
    const { batchId } = (await acme.post('/v1/batches', { ...captions, requests: videos(1) })).body
    expect((await acme.get(`/v1/batches/${batchId}/results?format=pdf`)).status).to.equal(400)
    const lines = await acme.get(`/v1/batches/${batchId}/results`)
    expect(lines.headers.get('content-type')).to.equal('application/x-ndjson')
    expect(JSON.parse(lines.text)).to.deep.include({ item: 0, state: 'queued', jobId: null, result: null })
  })
})
