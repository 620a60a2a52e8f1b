import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { expect } from 'chai'
import { until } from '#test/doubles/service/until.ts'
import { openEgress } from './egress.harness.ts'
import { createNameLookup, type NameLookupOptions } from './name-lookup.ts'

const A = 1

/** The zone of a local name server: addresses of both families. A name without any does not exist. */
const zone: Record<string, { a?: string[]; aaaa?: string[] }> = {
  'both.example.com': { a: ['93.184.216.34', '93.184.216.35', '93.184.216.36'], aaaa: ['2606:2800:220:1:0:0:0:1'] },
  'old.example.com': { a: ['93.184.216.34'] },
}

const bytesOf = (address: string): number[] =>
  address.includes('.')
    ? address.split('.').map(Number)
    : address.split(':').flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])

/** The answer to a query of one question. */
function answerTo(query: Buffer): Buffer {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = query.readUInt16BE(at + 1)
  const found = zone[labels.join('.').toLowerCase()]
  const addresses = (type === A ? found?.a : found?.aaaa) ?? []
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(found ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  const records = addresses.map((address) => {
    const data = bytesOf(address)
    return Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data])
  })
  return Buffer.concat([head, query.subarray(12, at + 5), ...records])
}

describe('the name lookup', () => {
  let server: Socket
  let silent = false
  let asked = 0
  beforeEach(async () => {
    silent = false
    asked = 0
    server = createSocket('udp4').on('message', (query, from) => {
      asked++
      if (!silent) server.send(answerTo(query), from.port, from.address)
    })
    server.bind(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => server.close())

  const open = (options: NameLookupOptions = {}) =>
    createNameLookup({ servers: [`127.0.0.1:${server.address().port}`], ...options })

  it('returns addresses of both families, each among the first', async () => {
    expect(await open()('both.example.com')).to.deep.equal([
      '93.184.216.34',
      '93.184.216.35',
      '2606:2800:220:1::1',
      '93.184.216.36',
    ])
    expect(await open()('old.example.com')).to.deep.equal(['93.184.216.34'])
  })

  it('fails with not_found for a name that does not exist, unlike for a host that is down', async () => {
    expect(await open()('none.example.com').catch((error) => error)).to.have.property('code', 'ENOTFOUND')
    await using egress = await openEgress({ resolve: open() })
    const signal = new AbortController().signal
    const asking = egress.request('http://none.example.com/', { signal, maxBytes: 1 })
    expect(await asking.catch((error) => error)).to.include({ name: 'EgressError', reason: 'not_found' })
  })

  it('fails with timeout when the name servers are silent', async () => {
    silent = true
    await using egress = await openEgress({ resolve: open({ timeoutMs: 300, tries: 1 }) })
    const signal = new AbortController().signal
    const asking = egress.request('http://slow.example.com/', { signal, maxBytes: 1 })
    expect(await asking.catch((error) => error)).to.include({ name: 'EgressError', reason: 'timeout' })
  })

  it('refuses lookups beyond its limit, and accepts new ones when those have ended', async () => {
    silent = true
    const lookUp = open({ maxLookups: 3, timeoutMs: 300, tries: 1 })
    const held = ['a', 'b', 'c'].map((name) => lookUp(`${name}.example.com`).catch((error) => error))
    expect(await lookUp('d.example.com').catch((error) => error)).to.include({ name: 'EgressError', reason: 'timeout' })
    expect((await Promise.all(held)).map(({ code }) => code)).to.deep.equal(['ETIMEOUT', 'ETIMEOUT', 'ETIMEOUT'])
    await until('every question has come', () => asked === 6)
    silent = false
    expect(await lookUp('old.example.com')).to.deep.equal(['93.184.216.34'])
    // Repeats if the machine stops for longer than the lookups may take.
  }).retries(2)
})
