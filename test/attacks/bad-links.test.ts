/** Links and videos that one customer chooses never close a platform to other customers. */
import { expect } from 'chai'
import { everyVideo } from '#services/sandbox/sandbox-platforms.ts'
import { xVideos } from '#services/sandbox/x/catalogue.ts'
import { youtubeVideos } from '#services/sandbox/youtube/catalogue.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'

const plays = xVideos.filter(({ trouble }) => trouble === undefined)
const tooMany = { kind: 'answer', status: 429, body: 'Too Many Requests' } as const
const signIn = { kind: 'answer', status: 302, headers: { location: 'https://x.com/login' } } as const

describe('circuit breakers of platforms', function () {
  this.timeout(120_000)
  const setting = openedForAll(() => SandboxSetting.start({ env: () => ({ METADATA_CACHE_SECONDS: '0' }) }))
  let colluding: Client[]
  before(async () => {
    colluding = [await setting.client(), await setting.client()]
  })

  const read = async (client: Client, url: string) => (await client.metadata(url)).status
  /** Each of the two organizations requests each URL `times` times. */
  const attack = async (urls: readonly string[], times = 1): Promise<number[]> => {
    const statuses: number[] = []
    for (let time = 0; time < times; time++)
      for (const client of colluding) for (const url of urls) statuses.push(await read(client, url))
    return statuses
  }
  const othersAreServed = async () => {
    const other = await setting.client()
    const [one, two] = plays
    expect(await read(other, one?.url ?? '')).to.equal(200)
    const { body } = await other.run({ url: two?.url ?? '', mode: 'generate' })
    expect([body.status, body.error]).to.deep.equal(['completed', null])
    expect((await other.read<{ blocked?: unknown[] }>('/ready')).blocked ?? []).to.deep.equal([])
  }

  for (const [what, path, how] of [
    ['short links that lead to a sign-in page', 'attack', signIn],
    ['refusals by the host of short links', 'refused', tooMany],
  ] as const)
    it(`do not count ${what}`, async () => {
      using _answers = setting.sandbox.disturb({ host: 't.co', how })
      const links = Array.from({ length: 8 }, (_, n) => `https://t.co/${path}${n}`)
      expect([...new Set(await attack(links))]).to.deep.equal([502])
      await othersAreServed()
    })

  it('count a video that is refused repeatedly as one video', async () => {
    const bad = 'https://x.com/pageturners/status/1999999999999999999'
    using _post = setting.sandbox.disturb({ host: 'x.com', path: '/i/api/graphql/', times: 40, how: tooMany })
    const statuses = await attack([bad], 6)
    expect(statuses.filter((status) => status === 200)).to.deep.equal([])
    _post[Symbol.dispose]()
    await othersAreServed()
  })

  it('do not open when all requests of two or three organizations registered today are refused', async () => {
    const refuses = setting.sandbox.disturb({ host: 'www.youtube.com', how: tooMany })
    const three = [...colluding, await setting.client()]
    const urls = [1, 2, 3, 4].map((video) => `https://www.youtube.com/watch?v=attack-${video}00`)
    const statuses = three.flatMap((client, n) => urls.map((url) => read(client, `${url}${n}`)))
    expect([...new Set(await Promise.all(statuses))]).to.deep.equal([502])
    refuses[Symbol.dispose]()
    const [wanted] = youtubeVideos.filter(({ trouble }) => trouble === undefined)
    expect(await read(await setting.client(), wanted?.url ?? '')).to.equal(200)
    await othersAreServed()
  })

  it('do not count videos that only some people may see', async () => {
    const hidden = everyVideo.filter(({ platform, trouble }) => platform === 'x' && trouble !== undefined)
    expect(hidden.length).to.be.above(4)
    for (let time = 0; time < 3; time++) await attack(hidden.map(({ url }) => url))
    await othersAreServed()
  })
})
