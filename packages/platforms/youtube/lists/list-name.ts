import { withoutWrapping } from '../../urls/pasted-link.ts'
import { segmentsOf } from '../../urls/recognised.ts'
import { youtubeUrls } from '../urls.ts'

export const channelTypes = ['videos', 'shorts', 'lives'] as const
export type ChannelType = (typeof channelTypes)[number]

/** The videos of one type that a channel shows. `path`: of its page, such as `@name`. */
export type ChannelList = { kind: 'channel'; path: string; type: ChannelType }
export type PlaylistList = { kind: 'playlist'; id: string }
export type YouTubeList = ChannelList | PlaylistList

/** The one parameter that names a list. */
export type ListName = { field: 'url' | 'handle' | 'id'; text: string }

const channelId = /^UC[\w-]{22}$/
const handle = /^[\p{L}\p{M}\p{N}_.·-]{3,30}$/u
const playlistId = /^[A-Za-z]{2}[\w-]{8,98}$/
/** Lists that YouTube generates for each viewer, and lists that only their owner sees. */
const ofViewer = /^(?:RD|UL|LL$|WL$|LM$)/

/** The path of a channel's page. Undefined if the text names none. */
export function channelPath({ field, text }: ListName): string | undefined {
  const name = text.trim()
  if (field === 'url') return pathOfUrl(name)
  if (field === 'id') return channelId.test(name) ? `channel/${name}` : undefined
  const bare = name.replace(/^@/, '').toLowerCase()
  return handle.test(bare) ? `@${bare}` : undefined
}

function pathOfUrl(text: string): string | undefined {
  const [first = '', second = ''] = segmentsOfPage(text)
  if (first.startsWith('@')) return channelPath({ field: 'handle', text: first })
  if (first === 'channel') return channelPath({ field: 'id', text: second })
  return (first === 'c' || first === 'user') && handle.test(second) ? `${first}/${second}` : undefined
}

/** The id of a playlist, also from the page of one of its videos. Undefined if the text names none. */
export function playlistOf({ field, text }: ListName): string | undefined {
  const id = field === 'url' ? pageAt(text)?.searchParams.get('list') : text.trim()
  return id && playlistId.test(id) && !ofViewer.test(id) ? id : undefined
}

/** A page of YouTube. Undefined for any other address. We never request it and only take names from it. */
function pageAt(text: string): URL | undefined {
  const bare = withoutWrapping(text)
  const url = URL.parse(/^https?:\/\//i.test(bare) ? bare : `https://${bare}`)
  return url && youtubeUrls.hosts.has(url.hostname) ? url : undefined
}

function segmentsOfPage(text: string): string[] {
  const url = pageAt(text)
  try {
    return url ? segmentsOf(url).map(decodeURIComponent) : []
  } catch {
    // not percent-encoded properly: names no channel
    return []
  }
}
