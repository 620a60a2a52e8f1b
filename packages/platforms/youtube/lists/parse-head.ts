import type { YouTubeChannel, YouTubePlaylist } from '#contracts/generated/http.ts'
import type { Shape } from '../../reading/shape.ts'
import { channelOf } from '../channel-of.ts'
import { countIn } from '../count-in.ts'
import { textOf } from '../watch/text-of.ts'

export type ChannelHead = Omit<YouTubeChannel, 'videos' | 'nextCursor'>
export type PlaylistHead = Omit<YouTubePlaylist, 'videos' | 'nextCursor'>

const PAGE_HEADER = ['header', 'pageHeaderRenderer', 'content', 'pageHeaderViewModel']
const VERIFIED = new Set(['CHECK_CIRCLE_FILLED', 'AUDIO_BADGE'])

/** The facts about a channel on its page. YouTube rounds the number of its followers. @throws ShapeError */
export function parseChannel(answer: Shape): ChannelHead {
  const fields = answer.required('object', 'metadata', 'channelMetadataRenderer')
  const id = fields.required('string', 'externalId')
  const handle = /\/@([^/]+)$/.exec(fields.optional('string', 'vanityChannelUrl') ?? '')?.[1]
  const username = handle === undefined ? null : decodeURIComponent(handle)
  const texts = headerTexts(answer)
  return {
    platform: 'youtube',
    type: 'channel',
    id,
    username,
    url: channelOf(id).url ?? '',
    description: fields.expected('string', 'description'),
    author: {
      username,
      displayName: fields.expected('string', 'title'),
      avatarUrl: fields.optional('list', 'avatar', 'thumbnails')?.at(-1)?.optional('string', 'url') ?? null,
      verified: isVerified(answer),
    },
    stats: { followers: countOf(texts, /^\S+ subscribers?$/), videos: countOf(texts, /^[\d.,]+[KMB]? videos?$/) },
  }
}

/** @throws ShapeError */
export function parsePlaylist(answer: Shape, id: string): PlaylistHead {
  const fields = answer.required('object', 'metadata', 'playlistMetadataRenderer')
  const owner = ownerOf(answer)
  const channel = channelOf(owner?.optional('string', 'navigationEndpoint', 'browseEndpoint', 'browseId') ?? null)
  const texts = [...headerTexts(answer), textOf(answer, 'header', 'playlistHeaderRenderer', 'numVideosText')]
  return {
    platform: 'youtube',
    type: 'playlist',
    id,
    url: `https://www.youtube.com/playlist?list=${id}`,
    title: fields.expected('string', 'title'),
    description: fields.optional('string', 'description'),
    author: owner?.optional('string', 'text') ?? null,
    authorId: channel.id,
    authorUrl: channel.url,
    stats: { videos: countOf(texts, /^[\d.,]+ videos?$/) },
  }
}

/** The texts below the name of a page. */
const headerTexts = (answer: Shape): (string | null)[] =>
  (answer.optional('list', ...PAGE_HEADER, 'metadata', 'contentMetadataViewModel', 'metadataRows') ?? [])
    .flatMap((row) => row.optional('list', 'metadataParts') ?? [])
    .map((part) => part.optional('string', 'text', 'content'))

const countOf = (texts: readonly (string | null)[], form: RegExp): number | null =>
  countIn(texts.find((text) => form.test(text ?? '')) ?? null)

/** Whether the page shows a verified mark beside the name. Null if the page has no header in the known form. */
function isVerified(answer: Shape): boolean | null {
  const title = answer.optional('object', ...PAGE_HEADER, 'title', 'dynamicTextViewModel', 'text')
  if (title === null) return null
  const marks = (title.optional('list', 'attachmentRuns') ?? []).flatMap(
    (run) => run.optional('list', 'element', 'type', 'imageType', 'image', 'sources') ?? [],
  )
  return marks.some((mark) => VERIFIED.has(mark.optional('string', 'clientResource', 'imageName') ?? ''))
}

/** The part of the text that names the playlist's creator. */
function ownerOf(answer: Shape): Shape | undefined {
  const [ofHeader] = answer.optional('list', 'header', 'playlistHeaderRenderer', 'ownerText', 'runs') ?? []
  if (ofHeader) return ofHeader
  const parts = answer.optional('list', 'sidebar', 'playlistSidebarRenderer', 'items') ?? []
  const [ofSidebar] = parts.flatMap(
    (part) =>
      part.optional(
        'list',
        'playlistSidebarSecondaryInfoRenderer',
        'videoOwner',
        'videoOwnerRenderer',
        'title',
        'runs',
      ) ?? [],
  )
  return ofSidebar
}
