import { expect } from 'chai'
import { mcpDoor } from './door.ts'

const message = (method: string) => ({ jsonrpc: '2.0', id: 1, method })

describe('the door of /mcp', () => {
  const here = mcpDoor({
    host: '127.0.0.1',
    allowedOrigins: ['https://video.example.com', 'http://lan.example.com:81'],
  })
  const everywhere = mcpDoor({ host: '0.0.0.0', allowedOrigins: [] })
  const lets = (door: typeof here, headers: { host?: string; origin?: string }): boolean =>
    door.refusal(headers) === undefined

  it('accepts as Host the names of this machine and of allowed origins, if it listens on loopback', () => {
    for (const host of ['localhost:8080', 'LOCALHOST', '127.0.0.1:1', '127.0.0.2', '[::1]:8080', 'video.example.com'])
      expect(lets(here, { host }), host).to.equal(true)
    expect(lets(here, { host: 'lan.example.com:81' })).to.equal(true)
    const strange = [
      'evil.example.com',
      'localhost.evil.com',
      '127.0.0.1.evil.com',
      '127.0.0.1:80@evil.com',
      'localhost.',
    ]
    const spelled = [
      '0.0.0.0',
      '2130706433',
      '0x7f.1',
      '[::ffff:127.0.0.1]',
      '[::1]x',
      '127.0.0.1:',
      '127.0.0.1:99999999',
    ]
    for (const host of [...strange, ...spelled, '', 'video.example.com:8443', 'lan.example.com'])
      expect(lets(here, { host }), host).to.equal(false)
    expect(lets(here, {}), 'none').to.equal(false)
  })

  it('accepts every Host if it listens on other addresses', () => {
    expect(lets(everywhere, { host: 'video.example.com' })).to.equal(true)
    expect(lets(mcpDoor({ host: '::1', allowedOrigins: [] }), { host: 'video.example.com' })).to.equal(false)
    expect(lets(mcpDoor({ host: 'localhost', allowedOrigins: [] }), { host: 'video.example.com' })).to.equal(false)
  })

  it('accepts pages of its own origin on this machine, and of allowed ones', () => {
    const host = 'localhost:8080'
    for (const door of [here, everywhere]) expect(lets(door, { host, origin: 'http://localhost:8080' })).to.equal(true)
    expect(lets(here, { host, origin: 'https://video.example.com' })).to.equal(true)
    expect(lets(here, { host: 'video.example.com', origin: 'https://VIDEO.example.com' })).to.equal(true)
    const strange = [
      'null',
      '',
      'http://evil.com',
      'http://localhost:9999',
      'https://localhost:8080',
      'http://localhost',
    ]
    const joined = [
      'http://localhost:8080, http://evil.com',
      'http://localhost:8080.evil.com',
      'http://[::1]:8080',
      'file://',
    ]
    for (const origin of [...strange, ...joined, 'https://video.example.com.evil.com', 'https://video.example.com:444'])
      for (const door of [here, everywhere]) expect(lets(door, { host, origin }), origin).to.equal(false)
    // The request of a page that has rebound its name to this machine's address.
    expect(lets(everywhere, { host: 'evil.com', origin: 'http://evil.com' })).to.equal(false)
  })

  it('counts messages by their method', () => {
    const [list, call, listen] = [message('tools/list'), message('tools/call'), message('subscriptions/listen')]
    expect(here.messagesOf(list)).to.deep.equal({ light: 1, lasting: 0 })
    expect(here.messagesOf(call)).to.deep.equal({ light: 0, lasting: 1 })
    expect(here.messagesOf(listen)).to.deep.equal({ light: 1, lasting: 1 })
    expect(here.messagesOf([list, call, call, listen])).to.deep.equal({ light: 3, lasting: 3 })
    expect(here.messagesOf(Array.from({ length: 10 }, () => call))).to.deep.equal({ light: 9, lasting: 10 })
    for (const nothing of [undefined, [], null, 7, {}, { method: { toString: 1 } }])
      expect(here.messagesOf(nothing)).to.deep.equal({ light: 1, lasting: 0 })
    const many = here.messagesOf(Array.from({ length: 11 }, () => list))
    expect(many).to.deep.equal({ light: 11, lasting: 0, problem: 'must hold at most 10 messages' })
  })

  it('refuses bodies that would block the event loop, and accepts the largest schema', () => {
    const withParams = (params: unknown) => here.messagesOf({ ...message('tools/call'), params })
    const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))
    const deep = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    expect(withParams(members(2900)).problem).to.equal(undefined)
    expect(withParams({ schema: { properties: members(3000) } }).problem).to.contain('at most 3000 members')
    expect(withParams(Array.from({ length: 40 }, () => members(100))).problem).to.contain('at most 3000 members')
    expect(withParams(deep(90)).problem).to.equal(undefined)
    expect(withParams(deep(120_000)).problem).to.contain('at most 100 levels')
    expect(withParams(Array.from({ length: 100_000 }, () => 1)).problem).to.equal(undefined)
    const node = { type: 'string', description: 'x', minLength: 1, maxLength: 9 }
    const schema = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 499 }, (_, n) => [`k${n}`, node])),
    }
    expect(withParams({ name: 'extract_from_video', arguments: { url: 'x', prompt: 'x', schema } }).problem).to.equal(
      undefined,
    )
  })
})
