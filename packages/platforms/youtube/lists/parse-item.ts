import type { ProfileVideo } from '#contracts/generated/http.ts'
import type { Shape } from '../../reading/shape.ts'
import { secondsOfClock } from '../../reading/times.ts'
import { channelOf } from '../channel-of.ts'
import { viewsIn } from '../count-in.ts'
import { textOf } from '../watch/text-of.ts'

/** The facts about a video that a list shows. */
type Listed = {
  id: string
  title: string | null
  views: number | null
  seconds: number | null
  thumbnail: string | null
  isLive: boolean | null
  author: string | null
  authorId: string | null
}

/** The forms of a listed video on YouTube, by the name of their part. */
const forms: Record<string, (part: Shape) => Listed | undefined> = {
  videoRenderer: ofRenderer,
  gridVideoRenderer: ofRenderer,
  playlistVideoRenderer: ofPlaylist,
  lockupViewModel: ofLockup,
  shortsLockupViewModel: ofShort,
}

/** Whether an item has a form that this reader knows. */
export const isKnown = (item: Shape): boolean => formOf(inner(item)) !== undefined

/** The video of an item. Undefined if it is something else, such as a playlist. @throws ShapeError */
export function parseItem(item: Shape): ProfileVideo | undefined {
  const form = formOf(inner(item))
  const listed = form && forms[form]?.(inner(item).required('object', form))
  return listed ? toVideo(listed) : undefined
}

const inner = (item: Shape): Shape =>
  item.has('richItemRenderer') ? item.required('object', 'richItemRenderer', 'content') : item

const formOf = (item: Shape): string | undefined => Object.keys(forms).find((name) => item.has(name))

function toVideo({ id, title, views, seconds, thumbnail, isLive, author, authorId }: Listed): ProfileVideo {
  const channel = channelOf(authorId)
  return {
    platform: 'youtube',
    type: 'video',
    id,
    url: `https://www.youtube.com/watch?v=${id}`,
    title,
    // lists show only a part of the description, and a relative age
    description: null,
    stats: { views, likes: null, comments: null, shares: null },
    media: { type: 'video', thumbnailUrl: thumbnail, duration: seconds },
    tags: null,
    createdAt: null,
    authorId: channel.id,
    authorUrl: channel.url,
    isLive,
    additionalData: author === null ? {} : { channel: author },
  }
}

function ofRenderer(video: Shape): Listed {
  const owner = bylineOf(video, 'ownerText') ?? bylineOf(video, 'shortBylineText')
  return {
    ...rendered(video),
    views: viewsIn(textOf(video, 'viewCountText')),
    author: owner?.author ?? null,
    authorId: owner?.authorId ?? null,
  }
}

/** Reads a video of a playlist. Its views are beside its age: `15K views • 3 years ago`. */
function ofPlaylist(video: Shape): Listed {
  const owner = bylineOf(video, 'shortBylineText')
  const [views = null] = (video.optional('list', 'videoInfo', 'runs') ?? []).map((run) =>
    run.optional('string', 'text'),
  )
  return {
    ...rendered(video),
    views: viewsIn(views),
    author: owner?.author ?? null,
    authorId: owner?.authorId ?? null,
  }
}

function rendered(video: Shape): Pick<Listed, 'id' | 'title' | 'seconds' | 'thumbnail' | 'isLive'> {
  const overlays = video.optional('list', 'thumbnailOverlays') ?? []
  const styles = overlays.map((one) => one.optional('string', 'thumbnailOverlayTimeStatusRenderer', 'style'))
  const seconds = secondsOfClock(textOf(video, 'lengthText'))
  return {
    id: video.required('string', 'videoId'),
    title: textOf(video, 'title'),
    seconds,
    thumbnail: largest(video.optional('list', 'thumbnail', 'thumbnails')),
    isLive: styles.includes('LIVE') ? true : seconds !== null || styles.includes('UPCOMING') ? false : null,
  }
}

function bylineOf(video: Shape, key: string): Pick<Listed, 'author' | 'authorId'> | undefined {
  const [run] = video.optional('list', key, 'runs') ?? []
  return (
    run && {
      author: run.optional('string', 'text'),
      authorId: run.optional('string', 'navigationEndpoint', 'browseEndpoint', 'browseId'),
    }
  )
}

const ROWS = ['metadata', 'lockupMetadataViewModel', 'metadata', 'contentMetadataViewModel', 'metadataRows']

/** Reads a lockup. Undefined for playlists and podcasts, which have the same form. */
function ofLockup(lockup: Shape): Listed | undefined {
  if (lockup.required('string', 'contentType') !== 'LOCKUP_CONTENT_TYPE_VIDEO') return undefined
  const rows = lockup.optional('list', ...ROWS) ?? []
  const parts = rows.flatMap((row) => row.optional('list', 'metadataParts') ?? [])
  const texts = parts.map((part) => part.optional('string', 'text', 'content'))
  const owner = parts.find((part) => ownerOf(part) !== null)
  const badges = badgesOf(lockup)
  const seconds = badges.map(({ text }) => secondsOfClock(text)).find((one) => one !== null) ?? null
  const isLive = badges.some(({ style }) => style === 'THUMBNAIL_OVERLAY_BADGE_STYLE_LIVE')
  const isToCome = badges.some(({ text }) => text?.toLowerCase() === 'upcoming')
  return {
    id: lockup.required('string', 'contentId'),
    title: lockup.expected('string', 'metadata', 'lockupMetadataViewModel', 'title', 'content'),
    views: texts.map(viewsIn).find((views) => views !== null) ?? null,
    seconds,
    thumbnail: largest(lockup.optional('list', 'contentImage', 'thumbnailViewModel', 'image', 'sources')),
    isLive: isLive ? true : seconds !== null || isToCome ? false : null,
    author: owner?.optional('string', 'text', 'content') ?? null,
    authorId: owner ? ownerOf(owner) : null,
  }
}

/** The channel that a part of a lockup's text leads to. */
function ownerOf(part: Shape): string | null {
  const [run] = part.optional('list', 'text', 'commandRuns') ?? []
  return run?.optional('string', 'onTap', 'innertubeCommand', 'browseEndpoint', 'browseId') ?? null
}

function badgesOf(lockup: Shape): { text: string | null; style: string | null }[] {
  const overlays = lockup.optional('list', 'contentImage', 'thumbnailViewModel', 'overlays') ?? []
  return overlays
    .flatMap((overlay) => [
      ...(overlay.optional('list', 'thumbnailBottomOverlayViewModel', 'badges') ?? []),
      ...(overlay.optional('list', 'thumbnailOverlayBadgeViewModel', 'thumbnailBadges') ?? []),
    ])
    .map((badge) => ({
      text: badge.optional('string', 'thumbnailBadgeViewModel', 'text'),
      style: badge.optional('string', 'thumbnailBadgeViewModel', 'badgeStyle'),
    }))
}

function ofShort(short: Shape): Listed {
  return {
    id: short.required('string', 'onTap', 'innertubeCommand', 'reelWatchEndpoint', 'videoId'),
    title: short.expected('string', 'overlayMetadata', 'primaryText', 'content'),
    views: viewsIn(short.optional('string', 'overlayMetadata', 'secondaryText', 'content')),
    seconds: null,
    thumbnail: largest(short.optional('list', 'thumbnailViewModel', 'thumbnailViewModel', 'image', 'sources')),
    isLive: false,
    author: null,
    authorId: null,
  }
}

const largest = (pictures: Shape[] | null): string | null => pictures?.at(-1)?.optional('string', 'url') ?? null
