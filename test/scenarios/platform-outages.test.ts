/** Trouble with one platform, one exit address or one worker costs the others nothing. On the sandbox. */
import { expect } from 'chai'
import type { BlockedRoute } from '#packages/platforms/breakers/breakers.ts'
import { sessionOf } from '#packages/platforms/reading/route-of.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { CatalogueVideo } from '#services/sandbox/catalogue.ts'
import { everyVideo } from '#services/sandbox/sandbox-platforms.ts'
import { tiktokVideos } from '#services/sandbox/tiktok/catalogue.ts'
import { xVideos } from '#services/sandbox/x/catalogue.ts'
import { youtubeVideos } from '#services/sandbox/youtube/catalogue.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { type Answer, errorCodeOf } from '#test/doubles/service/client.ts'
import { codeOf, isTransient } from '#test/doubles/service/platform-troubles.ts'
import { isAlive, type LivingProcess } from '#test/doubles/service/process-tree.ts'
import { proxyWithSessions, SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { platforms, playing } from '#test/doubles/service/sandbox-videos.ts'
import { until } from '#test/doubles/service/until.ts'

/** Platforms with an exit address for each reader. */
const withSessions = ['x', 'instagram', 'facebook']
const plays = (videos: readonly CatalogueVideo[]) => videos.filter(({ trouble }) => trouble === undefined)
const tooMany = { kind: 'answer', status: 429, body: 'Too Many Requests' } as const

describe('outages', function () {
  this.timeout(240_000)
  const setting = openedForAll(() =>
    SandboxSetting.start({
      env: (sandbox) => ({
        JOB_WINDOW_SECONDS: '24',
        ...Object.fromEntries(
          withSessions.map((name) => [`EGRESS_PROXY_${name.toUpperCase()}`, proxyWithSessions(sandbox)]),
        ),
      }),
    }),
  )
  const me = madeForAll(() => setting.client())
  let refused: Promise<[video: CatalogueVideo, end: Answer][]>

  before(async () => {
    const other = await setting.client()
    const transient = everyVideo.filter((video) => {
      const code = codeOf(video)
      return withSessions.includes(video.platform) && code !== undefined && isTransient(code)
    })
    refused = Promise.all(transient.map(async (video) => [video, await other.run({ url: video.url })] as const))
      .then((ends) => ends.map(([video, end]): [CatalogueVideo, Answer] => [video, end]))
      .finally(async () => expect(await other.credits()).to.equal(50))
    refused.catch(() => undefined)
  })

  const metadata = ({ url }: { url: string }) => me.metadata(url)
  const search = async (platform: string) => {
    const { status, body, headers } = await me.get(`/v1/search?q=audiobook${platform}`)
    return { status, details: body.details, incomplete: headers.get('x-search-incomplete') }
  }
  const blocked = async () => {
    const body = await me.read<{ status: string; blocked: BlockedRoute[] }>('/ready')
    expect(body.status).to.equal('ready')
    return body.blocked.filter(({ platform }) => !withSessions.includes(platform))
  }
  const workers = (): LivingProcess[] => setting.service.children('ytdlp/worker.py')
  const killAll = async (all: readonly LivingProcess[]): Promise<void> => {
    for (const { pid } of all) process.kill(pid, 'SIGKILL')
    await until('they are gone', () => !all.some(isAlive))
  }

  it('a platform that answers 429 to everything is left alone, and the others still serve', async () => {
    using _outage = setting.sandbox.disturb({ host: 'www.youtube.com', how: tooMany })
    // Each process notices by itself: workers notice through jobs.
    const jobs = plays(youtubeVideos).slice(5, 10)
    const ends = Promise.all(jobs.map(({ url }) => me.run({ url, mode: 'native' })))
    for (const video of jobs) {
      const { status, body } = await metadata(video)
      expect([status, body.details]).to.deep.equal([502, { platform: 'youtube', code: 'platform_blocked' }])
    }
    const exits = await blocked()
    expect(exits.map(({ way }) => way)).to.have.members(['yt-dlp', 'innertube'])
    const one = exits.find(({ way }) => way === 'yt-dlp')
    expect(one).to.include({ platform: 'youtube', state: 'open', exit: new URL(setting.sandbox.proxyUrl).host })
    expect(Date.now() - Date.parse(one?.since ?? '')).to.be.within(0, 60_000)

    const codes = (await ends).map(errorCodeOf)
    // An attempt that is under way when the window of its job ends makes it a timeout.
    for (const code of codes) expect(code).to.be.oneOf(['platform_blocked', 'timeout'])
    expect(codes).to.include('platform_blocked')

    const asked = setting.sandbox.traffic.count({ host: 'www.youtube.com' }).requests
    const again = await metadata(youtubeVideos[0] as CatalogueVideo)
    expect(again.status).to.equal(502)
    expect(Number(again.headers.get('retry-after'))).to.be.within(1, 30)
    expect(await search('&platform=youtube')).to.deep.include({
      status: 502,
      details: { platform: 'youtube', code: 'platform_blocked' },
    })
    const job = await me.run({ url: (youtubeVideos[0] as CatalogueVideo).url, mode: 'native' })
    expect(job.body.error).to.have.property('code', 'platform_blocked')
    // On a busy machine a pause may end meanwhile: the breaker of each of the two processes then lets one trial through.
    const asks = setting.sandbox.traffic.count({ host: 'www.youtube.com' }).requests - asked
    expect(asks, 'it is asked for a trial at most').to.be.at.most(2)

    expect(await search('')).to.deep.include({ status: 200, incomplete: 'youtube' })
    for (const platform of platforms.filter((one) => one !== 'youtube'))
      expect((await metadata(playing(platform))).status, platform).to.equal(200)
    expect(await me.credits()).to.equal(50)
  })

  it('a job uses one exit address, and after a refusal another', async () => {
    const outage = setting.sandbox.disturb({ host: 'x.com', path: '/i/api/graphql/', how: tooMany })
    setting.sandbox.traffic.clear()
    const url = plays(xVideos).at(-1)?.url ?? ''
    const jobId = await me.enqueue({ url, mode: 'generate' })
    const isRefusal = ({ type, data }: StoredEvent) => type === 'StepFailed' && data.code === 'platform_blocked'
    const refusals = async () => (await setting.history(jobId)).filter(isRefusal).length
    await until('the platform has refused the job', refusals)
    outage[Symbol.dispose]()
    const { body } = await me.ended(jobId)
    expect(body.resultJson, JSON.stringify(body.error)).to.have.property('source', 'speech')

    const sessions = Array.from({ length: 1 + (await refusals()) }, (_, n) => sessionOf({ owner: jobId, refusals: n }))
    const id = new URL(url).pathname.split('/').at(-1) as string
    const asked = setting.sandbox.traffic.of({ path: '/i/api/graphql/' }).filter(({ url }) => url.includes(id))
    expect([...new Set(asked.map(({ exit }) => exit))]).to.deep.equal(sessions)
    const media = setting.sandbox.traffic.of({ host: 'video.twimg.com' })
    expect([...new Set(media.map(({ exit }) => exit))]).to.deep.equal(sessions.slice(-1))
  })

  it('videos that are refused at every exit address fail when their window ends, and are refunded', async () => {
    const ends = await refused
    const codes = ends.map(([, end]) => errorCodeOf(end))
    // As above.
    for (const [n, [video]] of ends.entries())
      expect(codes[n], `${video.trouble} ${video.url}`).to.be.oneOf([codeOf(video), 'timeout'])
    expect(codes.filter((code) => code !== 'timeout')).to.not.be.empty
  })

  it('killed workers cost nothing: the next request has a new one', async () => {
    await metadata(tiktokVideos[1] as CatalogueVideo)
    const old = workers()
    expect(old).to.not.be.empty
    await killAll(old)
    const videos = plays(tiktokVideos).slice(3, 6)
    const answers = await Promise.all(videos.map(metadata))
    expect(answers.map(({ status, text }) => status === 200 || text)).to.deep.equal([true, true, true])
  })

  it('a worker that hangs costs one request, and is replaced', async () => {
    await killAll(workers())
    const [first, hung, other] = plays(tiktokVideos).slice(-3) as [CatalogueVideo, CatalogueVideo, CatalogueVideo]
    expect((await metadata(first)).status).to.equal(200)
    const [worker, ...more] = workers()
    expect([typeof worker, more]).to.deep.equal(['object', []])
    process.kill(worker?.pid ?? 0, 'SIGSTOP')
    const lost = metadata(hung)
    expect((await metadata(other)).status).to.equal(200)
    const { status, body } = await lost
    expect([status, body.details]).to.deep.equal([502, { platform: 'tiktok', code: 'timeout' }])
    await until('the worker is gone', () => !isAlive(worker as LivingProcess))
    expect((await metadata(hung)).status).to.equal(200)
    expect(await blocked()).to.satisfy((exits: BlockedRoute[]) => exits.every(({ platform }) => platform !== 'tiktok'))
  })

  it('a platform that answers again is served again', async () => {
    const video = youtubeVideos[0] as CatalogueVideo
    await until('YouTube is read again', async () => (await metadata(video)).status === 200, { everyMs: 500 })
    expect(
      (await blocked()).filter(({ way }) => way === 'yt-dlp'),
      'the other way is not asked',
    ).to.deep.equal([])
    expect((await search('')).incomplete).to.equal(null)
    await until('for jobs as well', async () => {
      const { body } = await me.run({ url: video.url, mode: 'native' })
      return body.resultJson?.source === 'captions'
    })
  })
})
