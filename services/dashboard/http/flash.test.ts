import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Response } from 'express'
import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { Sealer } from '#packages/foundation/secrets/sealer.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import type { Flash } from '../route.ts'
import { Flashes } from './flash.ts'

const clock = new ManualClock()
const sealer = new Sealer(randomBytes(32))
const flashes = new Flashes({ sealer, clock })
const shown = { link: 'https://video.example.com/invitation?token=secret' }

/** The cookie that a browser then sends. */
function cookieOf(path: string, flash: Flash, from = flashes): string {
  let set = ''
  const response = { cookie: (name: string, value: string) => (set = `${name}=${value}`) }
  from.set(response as unknown as Response, path, flash)
  return set
}

describe('the flash that a form hands to the next page', () => {
  it('can be read by every process with the same key, for a minute, for that page and query only', async () => {
    const cookie = cookieOf('/org/a/members?page=2', shown)
    expect(cookie).to.not.include('secret')
    const other = new Flashes({ sealer, clock })
    expect(other.in({ cookie }, '/org/a/members?page=2')).to.deep.equal(shown)
    for (const path of ['/org/a/members', '/org/b/members?page=2', '/'])
      expect(flashes.in({ cookie }, path)).to.equal(undefined)
    await clock.advance(60_000)
    expect(flashes.in({ cookie }, '/org/a/members?page=2')).to.equal(undefined)
  })

  it('is ignored if it was made up, changed, or sealed with another key', () => {
    const cookie = cookieOf('/', shown)
    const foreign = cookieOf('/', shown, new Flashes({ sealer: new Sealer(randomBytes(32)), clock }))
    for (const made of [foreign, `${cookie.slice(0, -2)}AA`, '__Host-flash=', '__Host-flash=e30', ''])
      expect(flashes.in({ cookie: made }, '/'), made).to.equal(undefined)
  })

  it('fits into a cookie that proxies accept: input that is too long is left out', () => {
    const refusal = { problems: { schema: 'must be JSON' }, status: 400 }
    const typed = [['schema', randomBytes(48_000).toString('base64')] as const]
    const cookie = cookieOf('/', { refusal, typed })
    expect(cookie.length).to.be.below(2700)
    expect(flashes.in({ cookie }, '/')).to.deep.equal({ refusal, isCut: true })
    const schema = [['schema', JSON.stringify({ type: 'object', properties: {} }, null, 2).repeat(100)] as const]
    expect(flashes.in({ cookie: cookieOf('/', { refusal, typed: schema }) }, '/')).to.deep.equal({
      refusal,
      typed: schema,
    })
  })

  it('drops the details of an error if they are too long, so the next page always has an answer', () => {
    const fields = Array.from({ length: 20 }, () => randomBytes(200).toString('hex'))
    const details = fields.map((path) => ({ path, message: 'is not known' }))
    const { code, message } = invalidRequest(...details)
    const error = { code, message, details, requestId: 'one' }
    const answered = { status: 400, tookMs: 1, error }
    const brief = { ...error, message: `${message.slice(0, 500)}…`, details: null }
    const shown = (flash: Flash) => flashes.in({ cookie: cookieOf('/org/a/try/extract', flash) }, '/org/a/try/extract')
    const typed = [['schema', randomBytes(9000).toString('hex')] as const]
    expect(shown({ answered, typed })).to.deep.equal({ answered: { ...answered, error: brief }, isCut: true })
    expect(shown({ error })).to.deep.equal({ error: brief, isCut: true })
    const few = { ...error, message: 'is not known', details: details.slice(0, 8) }
    expect(shown({ error: few }), 'as it is, where it fits').to.deep.equal({ error: few })
  })

  it('never inflates to more than its page accepts, however well it compresses', () => {
    const refusal = { problems: { schema: 'must be JSON' }, status: 400 }
    for (const text of ['a'.repeat(190_000), '\u0001'.repeat(190_000)]) {
      const cookie = cookieOf('/', { refusal, typed: [['schema', text]] })
      expect(flashes.in({ cookie }, '/')).to.deep.equal({ refusal, isCut: true })
    }
    expect(cookieOf(`/?next=${randomBytes(8000).toString('hex')}`, { refusal }), 'no cookie at all').to.equal('')
  })
})
