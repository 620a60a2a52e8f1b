/** Hostile webhook receivers: the targets of their redirects and names, and how much of their answers is read. */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { startOutside } from '#packages/egress/egress.harness.ts'
import { createHttpSender, type HttpSenderOptions } from '#packages/jobs/webhooks/http-sender.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { until } from '#test/doubles/service/until.ts'

const PUBLIC = '93.184.216.34'
const body = '{"type":"ping"}'
const MEGABYTE = Buffer.alloc(1024 * 1024, 'x')

/** Writes until `pieces` are written, or the other side stops reading. @returns how many were written */
function pour(response: ServerResponse, pieces: number): { written: number; isOver: boolean } {
  const poured = { written: 0, isOver: false }
  const write = (): void => {
    while (poured.written < pieces && !response.destroyed) {
      poured.written += 1
      if (!response.write(MEGABYTE)) return void response.once('drain', write)
    }
    response.end()
  }
  response.once('close', () => {
    poured.isOver = true
  })
  write()
  return poured
}

describe('attacks by the receivers of webhooks', () => {
  const outside = openedForAll(() =>
    startOutside((request, response) => {
      posted.push(`${request.method} ${request.url}`)
      const [, path = '', place = ''] = (request.url ?? '').split('/')
      if (path === 'leads') response.writeHead(307, { location: decodeURIComponent(place) }).end('elsewhere')
      else if (path === 'endless') poured = pour(response.writeHead(200), Number.POSITIVE_INFINITY)
      else if (path === 'large')
        poured = pour(response.writeHead(500, { 'content-length': 100 * MEGABYTE.length }), 100)
      else if (path === 'drips') response.writeHead(200).write('a drop')
      else if (path === 'swears') response.writeHead(200).end('\u001b[2J\u0000\u202e<b>')
      else if (path !== 'silent') response.writeHead(200).end('taken')
    }),
  )
  let poured: ReturnType<typeof pour>
  const posted: string[] = []
  beforeEach(() => {
    posted.length = 0
    outside.dialled.length = 0
  })

  const senderWith = (options: Partial<HttpSenderOptions> = {}) =>
    createHttpSender({
      ...{ clock, proxy: undefined, platformProxies: {}, country: undefined },
      ...{ resolve: async () => [PUBLIC], dial: outside.dial, answerWithinMs: 1000 },
      ...options,
    })
  const sendTo = (url: string, options: Partial<HttpSenderOptions> = {}) =>
    senderWith(options)({ url, orgId: 'acme', headers: {}, body, attempt: 1, signal: new AbortController().signal })

  it('that redirect are not followed, and have accepted nothing', async () => {
    for (const to of ['http://169.254.169.254/latest', 'http://127.0.0.1/', '/taken', 'https://other.example.com/']) {
      const { status, answer } = await sendTo(`http://hooks.example.com/leads/${encodeURIComponent(to)}`)
      expect([status, answer], to).to.deep.equal([307, 'elsewhere'])
    }
    expect(
      posted.every((each) => each.startsWith('POST /leads/')),
      posted.join(),
    ).to.equal(true)
  })

  it('with internal addresses, in any form or spelling, are not connected to', async () => {
    const inside = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '100.64.0.1', '::1', 'fd00::1', '::ffff:10.0.0.1']
    for (const address of inside)
      for (const addresses of [[address], [PUBLIC, address]]) {
        const { status, failure } = await sendTo('http://hooks.example.com/', { resolve: async () => addresses })
        expect([status, failure], addresses.join()).to.deep.equal([null, 'refused_address'])
      }
    for (const host of ['127.0.0.1', '[::1]', '2130706433', 'localhost', 'db.internal'])
      expect((await sendTo(`http://${host}/`)).failure, host).to.equal('refused_address')
    expect(outside.dialled).to.deep.equal([])
  })

  it('with a name that resolves inside after the check are connected to at the address that was checked', async () => {
    let lookups = 0
    const resolve = async () => [lookups++ === 0 ? PUBLIC : '127.0.0.1']
    expect((await sendTo('http://hooks.example.com/', { resolve })).status).to.equal(200)
    expect([lookups, outside.dialled]).to.deep.equal([1, [PUBLIC]])
  })

  it('that never answer take up the time of one attempt', async () => {
    const { status, failure } = await sendTo('http://hooks.example.com/silent', { answerWithinMs: 200 })
    expect([status, failure]).to.deep.equal([null, 'timeout'])
  })

  it('that never end their answer have accepted by its status, and are not read any further', async () => {
    const { status, answer } = await sendTo('http://hooks.example.com/drips', { answerWithinMs: 200 })
    expect([status, answer]).to.deep.equal([200, 'a drop'])
  })

  for (const [name, status] of [
    ['endless', 200],
    ['large', 500],
  ] as const)
    it(`that send without an end (${name}) are read for 200 bytes, and cut off`, async () => {
      const seen = await sendTo(`http://hooks.example.com/${name}`)
      expect([seen.status, seen.answer]).to.deep.equal([status, 'x'.repeat(200)])
      await until('the connection is over', () => poured.isOver)
      expect(poured.written).to.be.below(50)
    })

  it('that answer with control characters for terminals and logs are shown without them', async () => {
    const { answer } = await sendTo('http://hooks.example.com/swears')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: there must be none
    expect(answer).to.not.match(/[\u0000-\u001f\u202e]/)
    expect(answer).to.include('<b>')
  })
})
