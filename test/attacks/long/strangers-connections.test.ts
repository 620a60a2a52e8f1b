/** Other customers are served as before, whatever the hosts that one customer names do with our connections. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect } from 'chai'
import { inParallel } from '#packages/foundation/concurrency/in-parallel.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { StrangersSetting } from '#test/doubles/service/strangers-setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { mediaFiles } from '#test/doubles/world/media.ts'

/** More connections than any of our pools ever held. */
const HOSTS = 300
/** Requests that one organization may have under way at once (packages/egress/egress-routes.ts). */
const MOST_OF_ONE = 32

describe('connections to hosts that customers name', function () {
  this.timeout(300_000)
  const never = new AbortController().signal
  let film: Buffer
  const setting = openedForAll(async () => {
    film = (await mediaFiles(['speech.mp4'])).get('/speech.mp4') as Buffer
    return StrangersSetting.start(answer)
  })
  const attacker = madeForAll(() => setting.client({ plan: 'pro' }))

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const [host = ''] = String(request.headers.host).split('.')
    const number = Number(/\d+/.exec(host)?.[0] ?? 0)
    const hold = { connection: 'keep-alive', 'keep-alive': 'timeout=600' }
    if (host.startsWith('holds')) response.writeHead(404, { ...hold, 'content-length': 4 }).end('gone')
    else if (host.startsWith('leads'))
      // a body that never ends blocks the next request on the same connection
      response.writeHead(302, { ...hold, location: `https://leads-${number + HOSTS}.example.com/` }).write('moved')
    else if (host.startsWith('drips')) response.socket?.write('HTTP/1.1 200 OK\r\nx-')
    else if (new URL(request.url ?? '', 'http://any').pathname === '/speech.mp4')
      response.writeHead(200, { 'content-length': film.length }).end(film)
    else response.writeHead(404).end()
  }

  const readAll = (name: string) =>
    inParallel(Array.from({ length: HOSTS }), 4, never, () =>
      attacker.metadata(`https://${name}-${counted++}.example.com/film.mp4`),
    )
  let counted = 0

  /** Another organization's reads and jobs, on hosts that were not asked before, over both schemes. */
  const othersAreServed = async (name: string) => {
    const other = await setting.client()
    for (const scheme of ['https', 'http']) {
      const url = `${scheme}://fine-${name}.example.com/speech.mp4`
      expect((await other.metadata(url)).body, url).to.include({ platform: 'direct' })
      const { body } = await other.run({ url: `${url}?job`, mode: 'generate' })
      expect([body.status, body.error]).to.deep.equal(['completed', null])
    }
  }
  const nothingIsHeld = () => until('no connection is held', () => setting.hosts.open === 0)

  it('answers that ask for 600 seconds of keep-alive are not obeyed', async () => {
    const answers = await readAll('holds')
    expect([...new Set(answers.map(({ status }) => status))]).to.deep.equal([404])
    await until('few are held', () => setting.hosts.open < MOST_OF_ONE)
    await othersAreServed('after-holds')
    await nothingIsHeld()
  })

  it('redirects through hundreds of hosts, with bodies that never end, leave nothing behind', async () => {
    const before = setting.hosts.requests.length
    const answers = await readAll('leads')
    expect([...new Set(answers.map(({ status }) => status))]).to.deep.equal([502])
    const hosts = new Set(setting.hosts.requests.slice(before).map((request) => request.split('/')[0]))
    expect(hosts.size).to.be.above(HOSTS)
    await othersAreServed('after-leads')
    await nothingIsHeld()
  })

  it('hosts that never finish their headers hold no more than one organization’s share', async () => {
    const jobs = await inParallel(
      Array.from({ length: 60 }, (_, n) => n),
      6,
      never,
      (n) => attacker.enqueue({ url: `https://drips-${n}.example.com/film.mp4`, mode: 'generate' }),
    )
    const reads = Array.from({ length: 8 }, (_, n) => attacker.metadata(`https://drips-read-${n}.example.com/a.mp4`))
    await until('the hosts are asked', () => setting.hosts.open >= 8)
    await othersAreServed('beside-drips')
    expect(setting.hosts.open).to.be.within(1, MOST_OF_ONE)
    expect(jobs).to.have.length(60)
    await Promise.all(reads)
  })
})
