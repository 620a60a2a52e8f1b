/** YouTube is read by yt-dlp and by its own API. The second way reads only what the first cannot. */
import { expect } from 'chai'
import { metrics } from '#packages/telemetry/metrics.ts'
import type { CatalogueVideo, Trouble } from '#services/sandbox/catalogue.ts'
import { type YouTubeVideo, youtubeVideos } from '#services/sandbox/youtube/catalogue.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { OtlpReceiver } from '#test/doubles/otlp/receiver.ts'
import { type Answer, errorCodeOf } from '#test/doubles/service/client.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { videoWhere } from '#test/doubles/service/sandbox-videos.ts'
import { until } from '#test/doubles/service/until.ts'

const withTrouble = (trouble: Trouble) => videoWhere((video) => video.trouble === trouble, youtubeVideos)
const [film, other] = youtubeVideos as [YouTubeVideo, YouTubeVideo]

for (const first of ['yt-dlp', 'innertube'])
  describe(`YouTube, read first by ${first}`, function () {
    this.timeout(120_000)
    const receiver = openedForAll(() => OtlpReceiver.start())
    const setting = openedForAll(() =>
      SandboxSetting.start({ env: () => ({ ...receiver.env, JOB_WINDOW_SECONDS: '10', YOUTUBE_FIRST: first }) }),
    )
    const me = madeForAll(() => setting.client())

    const metadata = ({ url }: CatalogueVideo) => me.metadata(url, '&include=captions,chapters')
    const transcript = ({ url }: CatalogueVideo, mode = 'native') => me.run({ url, mode })
    /** The ways by which the steps of a job have read, by its events. */
    const waysOf = async ({ body }: Answer) =>
      (await setting.history(body.jobId ?? '')).flatMap(({ type, data }) =>
        type === 'VideoFetched' || type === 'CaptionsRead' ? [`${type} ${data.way}`] : [],
      )
    /** `way operation outcome` of all reads so far, by the metric. */
    const reads = () =>
      receiver
        .seriesOf(metrics.readDuration)
        .map((one) => `${one['video.read.way']} ${one['video.operation']} ${one['video.outcome']}`)
    const workers = () => setting.service.children('ytdlp/worker.py')

    if (first === 'innertube')
      it('starts no Python for metadata and captions, and yt-dlp’s page is not requested', async () => {
        const end = await transcript(film)
        expect([end.body.status, end.body.resultJson?.source]).to.deep.equal(['completed', 'captions'])
        expect(await waysOf(end)).to.deep.equal(['VideoFetched innertube', 'CaptionsRead innertube'])
        expect((await metadata(other)).body).to.deep.include({ title: other.title, likeCount: other.likes })
        expect(workers()).to.deep.equal([])
        expect(setting.sandbox.traffic.count({ host: 'www.youtube.com', path: '/watch' }).requests).to.equal(0)
        await until('the metric shows it', () => reads().includes('innertube captions ok'))
        expect(reads().filter((read) => read.startsWith('yt-dlp'))).to.deep.equal([])
      })
    else
      it('does not use the second way for what the first has read', async () => {
        const end = await transcript(film)
        expect(await waysOf(end)).to.deep.equal(['VideoFetched yt-dlp', 'CaptionsRead yt-dlp'])
        expect((await metadata(other)).status).to.equal(200)
        await until('the metric shows it', () => reads().includes('yt-dlp captions ok'))
        expect(reads().filter((read) => read.startsWith('innertube'))).to.deep.equal([])
      })

    it('serves captions and metadata of a video that yt-dlp is refused, at the usual price', async () => {
      const refused = withTrouble('bot_check_but_android')
      const before = await me.credits()
      const end = await transcript(refused)
      expect([end.body.status, end.body.resultJson?.source]).to.deep.equal(['completed', 'captions'])
      expect(await me.credits()).to.equal(before - 1)
      expect(await waysOf(end)).to.deep.equal(['VideoFetched innertube', 'CaptionsRead innertube'])
      const { body } = await metadata(refused)
      expect(body).to.deep.include({ title: refused.title, author: refused.creator.name, likeCount: refused.likes })
      await until('the metric shows it', () => reads().includes('innertube captions ok'))
      expect(reads().includes('yt-dlp details platform_blocked')).to.equal(first === 'yt-dlp')
    })

    it('reports what yt-dlp reports for a video that is not available to anyone', async () => {
      for (const [trouble, code] of [
        ['private', 'video_private'],
        ['age_restricted', 'age_restricted'],
        ['members_only', 'login_required'],
        ['live', 'live_not_ended'],
        ['upcoming', 'live_not_ended'],
      ] as const)
        expect((await transcript(withTrouble(trouble))).body.error, trouble).to.have.property('code', code)
    })

    if (first === 'innertube')
      it('downloads media by yt-dlp in any case', async () => {
        const end = await transcript(other, 'generate')
        expect([end.body.status, end.body.resultJson?.source]).to.deep.equal(['completed', 'speech'])
        expect(workers()).to.not.deep.equal([])
      })
    else
      it('fails if both are refused, and takes no credits', async () => {
        const before = await me.credits()
        const refused = withTrouble('bot_check')
        expect((await metadata(refused)).headers.get('x-metadata-incomplete'), 'by oEmbed').to.include('duration')
        // An attempt that is under way when the window of its job ends makes it a timeout.
        expect(errorCodeOf(await transcript(refused))).to.be.oneOf(['platform_blocked', 'timeout'])
        expect(await me.credits()).to.equal(before)
        await until('the metric shows both', () =>
          ['yt-dlp', 'innertube'].every((way) => reads().includes(`${way} details platform_blocked`)),
        )
      })
  })
