import type { RequestListener } from 'node:http'
import { expect } from 'chai'
import { inParallel } from '#packages/foundation/concurrency/in-parallel.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { until } from '#test/doubles/service/until.ts'
import { openRoutes, startOutside } from './egress.harness.ts'
import { PUBLIC } from './hostile.fixture.ts'

const signal = new AbortController().signal

describe('requests under way to the outside', () => {
  let handler: RequestListener
  /** Connections that are open now, as the far side sees them. */
  let open: number
  beforeEach(() => {
    open = 0
  })
  const outside = openedForEach(() =>
    startOutside((request, response) => {
      if (request.socket.listenerCount('close', closed) === 0) {
        open++
        request.socket.on('close', closed)
      }
      handler(request, response)
    }),
  )
  const requestLimits = { maxRequests: 6, maxRequestsOfOrganization: 4, maxRequestsToHost: 2 }
  const routes = openedForEach(() => openRoutes({ resolve: async () => [PUBLIC], dial: outside.dial, requestLimits }))
  const closed = () => {
    open--
  }

  const read = async (url: string, organization?: string, platform?: string) => {
    const { egress } = routes.of({ platform, session: 'a', organization })
    await using answer = await egress.request(url, { signal, maxBytes: 1000 })
    for await (const _ of answer.body);
    return answer.status
  }

  it('are reserved for other organizations too, and organizations take turns at one host', async () => {
    const held: (() => void)[] = []
    handler = (_, response) => void held.push(() => response.end())
    const ask = (organization: string, host: string) => read(`http://${host}.example.com/`, organization)
    const hers = ['one', 'one', 'one', 'two', 'three', 'four'].map((host) => ask('alice', host))
    await until('four of hers are asked', () => held.length === 4)
    const his = ask('bob', 'one')
    await until('his is asked beside them', () => held.length === 5)
    expect(outside.asked.filter((url) => url.startsWith('one.'))).to.have.length(3)
    const ending = Promise.all([...hers, his])
    for (let ended = 0; ended < 7; ended++) {
      await until('the next is asked', () => held.length > 0)
      held.shift()?.()
    }
    expect(await ending).to.deep.equal(Array.from({ length: 7 }, () => 200))
  })

  it('are released by answers that fail, are not read, redirect, or are aborted', async () => {
    handler = (request, response) => {
      if (request.url === '/cut') response.destroy()
      else if (request.url === '/endless') response.writeHead(200).write('begun')
      else if (request.url === '/moved') response.writeHead(302, { location: '/endless' }).write('begun')
    }
    for (const path of ['cut', 'endless', 'moved', 'silent'])
      for (let time = 0; time < 8; time++) {
        const { egress } = routes.of({ platform: undefined, session: 'a', organization: 'alice' })
        const limit = path === 'silent' ? AbortSignal.timeout(20) : signal
        const asking = egress.request(`http://cdn.example.com/${path}`, { signal: limit, maxBytes: 10 })
        await asking.then((answer) => answer[Symbol.asyncDispose]()).catch(() => undefined)
      }
    await until('nothing is open', () => open === 0)
  })

  it('leave no connection open to hosts that customers name; a few are kept for platforms', async () => {
    handler = (_, response) => void response.writeHead(200, { 'keep-alive': 'timeout=600' }).end('read')
    await inParallel(Array.from({ length: 20 }), 4, signal, () => read('http://cdn.example.com/', 'alice'))
    await until('nothing is open', () => open === 0)
    const before = outside.dialled.length
    for (let time = 0; time < 5; time++) await read('http://www.example.com/', 'alice', 'x')
    expect(outside.dialled.length - before).to.be.within(1, 2)
    expect(open).to.be.within(1, 2)
    await until('it is closed, although the host asked for ten minutes', () => open === 0)
  })
})
