import type { CaptionTrack, CatalogueVideo, Trouble } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import type { Media } from '../media.ts'
import { streamingData } from './formats.ts'
import { type Client, playabilityOf } from './playability.ts'

/** Languages that a machine translates captions into. */
const translations = { de: 'German', en: 'English', es: 'Spanish', fr: 'French', ja: 'Japanese', pt: 'Portuguese' }

/** The answers for these have no data of the video, not even a title. */
const silent = new Set<Trouble | undefined>([
  'private',
  'deleted',
  'bot_check',
  'bot_check_but_android',
  'private_interstitial',
  'bot_check_interstitial',
])
const OTHER_VIDEO = 'nvlHourCh01'
const live = new Set<Trouble | undefined>(['live', 'upcoming'])
const playable = new Set<Trouble | undefined>([undefined, 'live', 'captions_need_token', 'captions_withheld'])

export type Asking = { client: Client; media: Media; address: string }

/** The answer of `POST /youtubei/v1/player`, and the player response in the watch page. */
export function playerResponse(video: CatalogueVideo, { client, media, address }: Asking): object {
  const { trouble } = video
  const plays = playable.has(trouble)
  const told = !silent.has(trouble)
  return {
    responseContext: { visitorData: 'CgtzYW5kYm94VmlzaSiAgICABg%3D%3D' },
    playabilityStatus: playabilityOf(trouble, client),
    ...(plays && { streamingData: streams(video, { client, media, address }) }),
    ...(plays && video.captions.length > 0 && { captions: captionsOf(video) }),
    ...(told && { videoDetails: detailsOf(video) }),
    ...(told && client === 'web' && { microformat: microformatOf(video) }),
  }
}

/** The web client must stream in YouTube's own protocol, so it gets formats without addresses. */
function streams(video: CatalogueVideo, { client, media, address }: Asking): object {
  if (video.trouble === 'live') {
    return { adaptiveFormats: [], hlsManifestUrl: liveManifest(video.id, address) }
  }
  const data = streamingData(video, media, address)
  if (client === 'app') return data
  const { formats: _progressive, adaptiveFormats, ...rest } = data as { formats: object[]; adaptiveFormats: object[] }
  return { ...rest, adaptiveFormats: adaptiveFormats.map((format) => ({ ...format, url: undefined })) }
}

const liveManifest = (id: string, address: string): string =>
  `https://manifest.googlevideo.com/api/manifest/hls_variant/expire/9999999999/ip/${address}/id/${id}.1/source/yt_live_broadcast/file/index.m3u8`

function captionsOf(video: CatalogueVideo): object {
  return {
    playerCaptionsTracklistRenderer: {
      captionTracks: video.captions.map((track) => ({
        baseUrl: timedTextUrl(video, track),
        name: { runs: [{ text: track.label }] },
        vssId: `${track.kind === 'automatic' ? 'a' : ''}.${track.language}`,
        languageCode: track.language,
        ...(track.kind === 'automatic' && { kind: 'asr' }),
        isTranslatable: true,
      })),
      translationLanguages: Object.entries(translations).map(([languageCode, name]) => ({
        languageCode,
        languageName: { runs: [{ text: name }] },
      })),
    },
  }
}

function timedTextUrl({ id, trouble }: CatalogueVideo, { kind, language }: CaptionTrack): string {
  const query = new URLSearchParams({
    v: id,
    expire: String(Math.floor(Date.now() / 1_000) + 25_140),
    signature: 'AA5BBCF255F02CABAE17245338F9BB8E0E3807E5',
    // The experiment that makes YouTube ask for a proof token.
    ...(trouble === 'captions_withheld' && { exp: 'xpe' }),
    ...(kind === 'automatic' && { kind: 'asr' }),
    lang: language,
  })
  return `https://www.youtube.com/api/timedtext?${query}`
}

/** YouTube writes times in California's zone. yt-dlp requires an offset. */
const pacific = (time: string): string =>
  new Date(Date.parse(time) - 7 * 3_600_000).toISOString().replace(/\.\d+Z$/, '-07:00')

const thumbnailsOf = (id: string): object => ({
  thumbnails: [
    { url: `https://i.ytimg.com/vi/${id}/mqdefault.jpg`, width: 320, height: 180 },
    { url: `https://i.ytimg.com/vi/${id}/hq720.jpg`, width: 1280, height: 720 },
  ],
})

function detailsOf(video: CatalogueVideo): object {
  return {
    videoId: video.trouble === 'other_video' ? OTHER_VIDEO : video.id,
    title: video.title,
    lengthSeconds: live.has(video.trouble) ? '0' : String(Math.floor(secondsOf(video.film))),
    keywords: video.description.match(/(?<=#)\p{L}+/gu) ?? [],
    channelId: video.creator.id,
    shortDescription: video.description,
    thumbnail: thumbnailsOf(video.id),
    viewCount: String(video.views),
    author: video.creator.name,
    isPrivate: false,
    isLiveContent: live.has(video.trouble),
    ...(video.trouble === 'live' && { isLive: true }),
    ...(video.trouble === 'upcoming' && { isUpcoming: true }),
  }
}

function microformatOf(video: CatalogueVideo): object {
  return {
    playerMicroformatRenderer: {
      thumbnail: {
        thumbnails: [{ url: `https://i.ytimg.com/vi/${video.id}/maxresdefault.jpg`, width: 1280, height: 720 }],
      },
      title: { simpleText: video.title },
      description: { simpleText: video.description },
      lengthSeconds: live.has(video.trouble) ? '0' : String(Math.floor(secondsOf(video.film))),
      ownerProfileUrl: `http://www.youtube.com/@${video.creator.handle}`,
      externalChannelId: video.creator.id,
      isFamilySafe: video.trouble !== 'age_restricted',
      availableCountries: video.trouble === 'geo_blocked' ? ['NZ'] : ['AT', 'CH', 'DE', 'ES', 'FR', 'GB', 'JP', 'US'],
      isUnlisted: false,
      viewCount: String(video.views),
      category: 'Education',
      publishDate: pacific(video.published),
      uploadDate: pacific(video.published),
      isShortsEligible: false,
      likeCount: String(video.likes),
    },
  }
}
