import type { CaptionTrack, VideoMetadata } from '#contracts/generated/http.ts'
import { captionSources } from '#packages/captions/caption-sources.ts'
import { StepError } from '#packages/errors/step-error.ts'
import type { RegisteredPlatform } from '../registry.ts'
import type { Details } from '../search/search-source.ts'
import type { CaptionTrackInfo, FormatInfo, VideoInfo } from '../ytdlp/info.ts'
import { languageOf } from './caption-key.ts'
import type { Inclusion, Video } from './video-source.ts'

/** How many formats an event records; more would be of no use. */
const MAX_FORMATS = 40

const liveStates = {
  is_live: 'live',
  is_upcoming: 'upcoming',
  post_live: 'processing',
  was_live: 'ended',
  not_live: 'none',
} as const

/** The video as VideoFetched records it: without signed URLs and machine translations. */
export function toVideo(platform: RegisteredPlatform, canonicalUrl: string, info: VideoInfo): Video {
  return {
    canonicalUrl,
    platform: platform.name,
    metadata: headOf(platform, info),
    durationSeconds: info.durationSeconds,
    liveState: liveStates[info.liveStatus ?? 'not_live'],
    captionTracks: captionTracksOf(info.captions),
    formats: info.formats.slice(0, MAX_FORMATS).map(toFormat),
  }
}

/** The answer of `GET /v1/metadata` (specification: Video metadata). Called often, so it computes nothing else. */
export const toMetadata = (
  platform: RegisteredPlatform,
  info: VideoInfo,
  include: readonly Inclusion[] = [],
): VideoMetadata => ({
  ...headOf(platform, info),
  platform: platform.name,
  duration: info.durationSeconds,
  ...(include.includes('captions') && { captions: knownCaptions(info) }),
  ...(include.includes('chapters') && { chapters: info.chapters }),
})

/** Null where none is listed, but the platform keeps some from us, or they could not be read: not "no captions". */
function knownCaptions({ captions, lacks }: VideoInfo): CaptionTrack[] | null {
  const listed = listedCaptions(captionTracksOf(captions))
  return listed.length === 0 && lacks.captions !== null ? null : listed
}

/** The caption tracks of a video as `GET /v1/metadata` lists them, each language and source once. */
export function listedCaptions(tracks: Video['captionTracks']): CaptionTrack[] {
  const listed = tracks.map(({ language, source }) => ({
    language,
    source: captionSources[source],
  }))
  return [...new Map(listed.map((track) => [JSON.stringify(track), track])).values()]
}

const headOf = (platform: RegisteredPlatform, info: VideoInfo): Video['metadata'] => ({
  title: platform.titleOf(info),
  author: platform.authorOf(info),
  viewCount: info.viewCount,
  likeCount: info.likeCount,
  thumbnail: info.thumbnail,
})

/** The details that complete a search result (specification: Search result item). */
export function toDetails(platform: RegisteredPlatform, info: VideoInfo): Details {
  return {
    title: platform.titleOf(info),
    author: platform.authorOf(info),
    stats: { views: info.viewCount, likes: info.likeCount, comments: info.commentCount, shares: info.repostCount },
    duration: info.durationSeconds,
    thumbnail: info.thumbnail,
    createdAt: info.timestamp === null ? null : new Date(info.timestamp * 1000).toISOString(),
  }
}

/** @throws StepError `live_not_ended`: the download of a broadcast under way never ends */
export function assertEnded({ liveState }: Video): void {
  if (liveState !== 'none' && liveState !== 'ended') throw new StepError('live_not_ended')
}

/** Each track once, with the first of its formats, in which it would be read. */
function captionTracksOf(tracks: readonly CaptionTrackInfo[]): Video['captionTracks'] {
  const seen = new Map<string, Video['captionTracks'][number]>()
  for (const { language, automatic, ext, translated } of tracks) {
    const key = `${language} ${automatic}`
    if (translated || seen.has(key)) continue
    seen.set(key, { language: languageOf(language), source: automatic ? 'automatic' : 'human', format: ext })
  }
  return [...seen.values()]
}

const toFormat = ({ ext, vcodec, acodec, width, height, bytes }: FormatInfo): Video['formats'][number] => ({
  container: ext,
  hasAudio: acodec !== 'none',
  hasVideo: vcodec !== 'none',
  width,
  height,
  bytes,
})
