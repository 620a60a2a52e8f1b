import type { CaptionTrack, VideoMetadata } from '#contracts/generated/http.ts'
import { captionSources } from '#packages/content/captions/caption-sources.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { tagsOf } from '../reading/tags.ts'
import type { RegisteredPlatform } from '../registry.ts'
import type { Details } from '../search/search-source.ts'
import type { CaptionTrackInfo, FormatInfo, VideoInfo } from '../ytdlp/info.ts'
import { languageOf } from './caption-key.ts'
import type { Inclusion, Video } from './video-source.ts'

/** Characters of a description; YouTube allows 5,000, Facebook 63,206. */
const MAX_DESCRIPTION = 10_000
/** How many formats an event records; more would be useless. */
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
    captionTracks: knownTracks(info),
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
  isLive: isLive(info),
  ...(include.includes('captions') && { captions: listedCaptions(knownTracks(info)) }),
  ...(include.includes('chapters') && { chapters: info.chapters }),
})

/**
 * The listed tracks. Null instead of an empty list if the platform withholds captions, or they could not be read:
 * that does not mean "no captions".
 */
function knownTracks({ captions, lacks }: VideoInfo): Video['captionTracks'] {
  const listed = captionTracksOf(captions)
  return listed.length === 0 && lacks.captions !== null ? null : listed
}

type CaptionTracks = NonNullable<Video['captionTracks']>

/** The caption tracks of a video as `GET /v1/metadata` lists them, each language and source once. */
export function listedCaptions(tracks: Video['captionTracks']): CaptionTrack[] | null {
  if (tracks === null) return null
  const listed = tracks.map(({ language, source }) => ({
    language,
    source: captionSources[source],
  }))
  return [...new Map(listed.map((track) => [JSON.stringify(track), track])).values()]
}

function headOf(platform: RegisteredPlatform, info: VideoInfo): Video['metadata'] {
  const account = platform.accountOf(info)
  const description = platform.descriptionOf ? platform.descriptionOf(info) : info.description
  return {
    title: platform.titleOf(info),
    author: platform.authorOf(info),
    viewCount: info.viewCount,
    likeCount: info.likeCount,
    thumbnail: info.thumbnail,
    description: description && cut(description),
    publishedAt: publishedAt(info),
    authorId: account.id,
    authorUrl: account.url,
    commentCount: info.commentCount,
    shareCount: info.repostCount,
    tags: platform.tagsOf ? platform.tagsOf(info) : description === null ? null : tagsOf(description),
  }
}

/** The first characters of a text, without splitting the last one. */
const cut = (text: string): string => text.slice(0, MAX_DESCRIPTION).replace(/[\uD800-\uDBFF]$/, '')

const publishedAt = ({ timestamp }: VideoInfo): string | null =>
  timestamp === null ? null : new Date(timestamp * 1000).toISOString()

/** Null if the platform does not say. */
const isLive = ({ liveStatus }: VideoInfo): boolean | null => (liveStatus === null ? null : liveStatus === 'is_live')

/** The details that complete a search result (specification: Search result item). */
export function toDetails(platform: RegisteredPlatform, info: VideoInfo): Details {
  const { title, author, thumbnail, description, authorId, authorUrl, tags } = headOf(platform, info)
  return {
    title,
    author,
    stats: { views: info.viewCount, likes: info.likeCount, comments: info.commentCount, shares: info.repostCount },
    duration: info.durationSeconds,
    thumbnail,
    createdAt: publishedAt(info),
    description,
    authorId,
    authorUrl,
    tags,
    isLive: isLive(info),
  }
}

/** @throws StepError `live_not_ended`, because the download of a running broadcast never ends */
export function assertEnded({ liveState }: Video): void {
  if (liveState !== 'none' && liveState !== 'ended') throw new StepError('live_not_ended')
}

/** Each track once, with its first format, the one we would read. */
function captionTracksOf(tracks: readonly CaptionTrackInfo[]): CaptionTracks {
  const seen = new Map<string, CaptionTracks[number]>()
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
