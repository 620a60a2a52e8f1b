/** YouTube's own API returns what yt-dlp returns, or fails. */
import { expect } from 'chai'
import { parseTrack } from '#packages/content/captions/parse-track.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { platformNamed } from '#packages/platforms/registry.ts'
import { toMetadata, toVideo } from '#packages/platforms/videos/to-video.ts'
import { createWatch } from '#packages/platforms/youtube/watch/create-watch.ts'
import type { CaptionTrackInfo, VideoInfo } from '#packages/platforms/ytdlp/info.ts'
import { CaptionsWithheld } from '#packages/platforms/ytdlp/missing-parts.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import type { CatalogueVideo, Trouble } from '../catalogue.ts'
import type { Disturbance } from '../disturbance.ts'
import { tryReader } from '../site.harness.ts'
import { youtubeVideos } from './catalogue.ts'
import { youtubeFields } from './fields.fixture.ts'
import { youtubeSites } from './site.ts'

const youtube = platformNamed('youtube')
const named = (id: string) => youtubeVideos.find((video) => video.id === id) as CatalogueVideo
const withTrouble = (trouble: Trouble) => youtubeVideos.find((video) => video.trouble === trouble) as CatalogueVideo

/** The same failure as yt-dlp's for each trouble. */
const codes: Partial<Record<Trouble, string>> = {
  private: 'video_private',
  deleted: 'video_unavailable',
  age_restricted: 'age_restricted',
  geo_blocked: 'geo_blocked',
  members_only: 'login_required',
  rate_limited: 'platform_blocked',
  bot_check: 'platform_blocked',
  upcoming: 'live_not_ended',
  bot_check_interstitial: 'platform_blocked',
  private_interstitial: 'video_private',
  other_video: 'platform_blocked',
  needs_reload: 'platform_blocked',
  login_required: 'platform_blocked',
}

describe('the sandbox’s YouTube, read by its own API', function () {
  this.timeout(60_000)
  const harness = tryReader(youtubeSites)
  const drifted: string[] = []
  const reader = createWatch({ report: ({ drift }) => void drifted.push(...drift.map(({ field }) => field)) })
  const wishFor = ({ url }: CatalogueVideo, exit = 'mine') => ({
    canonicalUrl: url,
    route: harness.routeOf(exit),
    signal: AbortSignal.timeout(20_000),
  })
  const codeOf = async (video: CatalogueVideo) => (await failureOf(reader.info(wishFor(video)))).code
  /**
   * Everything that events and answers hold of a video, except two fields. Its thumbnail has several sizes, and the
   * page around the player does not have the hour of its date.
   */
  const told = (video: CatalogueVideo, info: VideoInfo) => {
    const { formats, metadata, ...rest } = toVideo(youtube, video.url, info)
    const shown = toMetadata(youtube, info, ['captions', 'chapters'])
    expect([metadata.thumbnail, shown.thumbnail].join()).to.match(new RegExp(`^(\\S+/vi/${video.id}/\\S+\\.jpg),\\1$`))
    return {
      ...rest,
      formats: formats.map((format) => JSON.stringify(format)).sort(),
      metadata: [metadata, shown].map((one) => ({ ...one, thumbnail: '', publishedAt: one.publishedAt?.slice(0, 10) })),
      translated: new Set(info.captions.filter(({ translated }) => translated).map(({ language }) => language)),
    }
  }

  for (const id of ['nvlHourCh01', 'ktchnRadio1', 'ktchnQuiet1', 'nvlHourDub1'])
    it(`returns all that yt-dlp returns of ${id}`, async () => {
      const video = named(id)
      const [ours, theirs] = [await reader.info(wishFor(video)), await harness.infoOf(video)]
      expect(told(video, ours)).to.deep.equal(told(video, theirs))
      expect(drifted).to.deep.equal([])
    })

  for (const [at, [field, orders]] of Object.entries(youtubeFields).entries())
    it(`never lacks ${field} if yt-dlp has it: it fails, or both lack it`, async () => {
      // Reads another video each time, because the reader caches its data about a video.
      const video = named(`nvlHourPg${String(at + 1).padStart(2, '0')}`)
      using disturbed = new DisposableStack()
      for (const order of [...orders, ...orders.flatMap(aroundThePlayer)]) disturbed.use(harness.sandbox.disturb(order))
      const theirs = await harness.infoOf(video)
      const ours = await reader.info(wishFor(video)).catch((error) => error)
      if (ours instanceof StepError) return expect(ours.code).to.equal('upstream_error')
      for (const [name, value] of Object.entries(ours))
        if (isNothing(value)) expect(isNothing(theirs[name as keyof VideoInfo]), name).to.equal(true)
    })

  it('reads the words of every kind of track: human, recognised, translated', async () => {
    const video = named('nvlHourCh01')
    const wish = wishFor(video)
    const info = await reader.info(wish)
    const kinds = info.captions.filter(({ language }) => ['en', 'en-orig', 'de', 'es'].includes(language))
    expect(kinds.map(({ automatic, translated }) => `${automatic} ${translated}`)).to.include.members([
      'false false',
      'true false',
      'true true',
    ])
    for (const track of kinds) {
      const ours = await parseTrack(await reader.captions(wish, track), track.ext)
      expect(ours, JSON.stringify(track)).to.deep.equal(await harness.cuesOf(video, track))
      expect(ours).to.have.length.above(0)
    }
  })

  for (const [trouble, code] of Object.entries(codes))
    it(`fails for a video that is ${trouble} like yt-dlp`, async () => {
      expect(await codeOf(withTrouble(trouble as Trouble))).to.equal(code)
    })

  it('fails if it does not know the languages of translated captions, and says what has changed', async () => {
    const field = 'captions.playerCaptionsTracklistRenderer.translationLanguages'
    const how = { kind: 'without', field } as const
    using _ = harness.sandbox.disturb({ host: 'www.youtube.com', path: '/youtubei/v1/player', how })
    drifted.length = 0
    expect(await codeOf(named('nvlHourCh01'))).to.equal('upstream_error')
    expect(drifted).to.deep.equal([`watch.player.${field}`])
  })

  it('says that a live video is live', async () => {
    expect((await reader.info(wishFor(withTrouble('live')))).liveStatus).to.equal('is_live')
  })

  it('retries as another app if the first is refused', async () => {
    const video = withTrouble('bot_check_but_android')
    expect((await reader.info(wishFor(video))).title).to.equal(video.title)
  })

  for (const trouble of ['captions_need_token', 'captions_withheld'] as const)
    it(`treats an empty text as a refusal, never as captions without words: ${trouble}`, async () => {
      const video = withTrouble(trouble)
      const wish = wishFor(video)
      const [track] = (await reader.info(wish)).captions as [CaptionTrackInfo]
      const failure = await reader.captions(wish, track).catch((error) => error)
      expect(failure).to.be.instanceOf(CaptionsWithheld)
    })

  it('finds captions again through another exit, which has no signed addresses yet', async () => {
    const video = named('ktchnRadio1')
    const track = { language: 'en-orig', automatic: true, ext: 'json3' }
    expect(await reader.captions(wishFor(video, 'another'), track)).to.include('"events"')
  })
})

const isNothing = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0)

/** The same disturbance for the API's answer, if it affects the page's data. */
function aroundThePlayer(order: Disturbance): Disturbance[] {
  const field = order.how.kind === 'without' ? order.how.field : ''
  if (!field.startsWith('initialData.')) return []
  return [{ ...order, path: '/youtubei/v1/next', how: { kind: 'without', field: field.replace('initialData.', '') } }]
}
