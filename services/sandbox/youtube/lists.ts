/** The answers of `navigation/resolve_url` and `browse`, in the shapes that yt-dlp and youtubei.js read. */
import type { CatalogueVideo } from '../catalogue.ts'
import { type Channel, youtubeVideos } from './catalogue.ts'
import { continuationOf } from './continuation.ts'
import { clock, pictureOf, rendererOf } from './search.ts'
import { longShelf, shelf } from './shelf.ts'

type Tab = 'videos' | 'shorts' | 'streams'
const tabNames: readonly Tab[] = ['videos', 'shorts', 'streams']
/** How many items a page of a channel has, and a page of a playlist. */
const PAGE = { channel: 30, playlist: 100 }

type Entry = { video: CatalogueVideo; form: (video: CatalogueVideo) => object }

const channels: Channel[] = [...new Set(youtubeVideos.map(({ creator }) => creator)), longShelf]
const creatorNamed = (name: string): Channel | undefined =>
  channels.find(({ id, handle }) => name === `@${handle}` || name === `channel/${id}`)

/** The videos in a channel's tab, newest first; undefined if it has no such tab. */
function tabOf({ id }: Channel, tab: Tab): Entry[] | undefined {
  const listed = (videos: readonly CatalogueVideo[], form: Entry['form']) =>
    videos.toSorted((a, b) => b.published.localeCompare(a.published)).map((video) => ({ video, form }))
  if (id === longShelf.id) {
    if (tab === 'shorts') return listed(shelf.shorts, shortOf)
    return listed(shelf[tab === 'streams' ? 'lives' : 'videos'], lockupOf)
  }
  const own = youtubeVideos.filter(({ creator, trouble }) => creator.id === id && trouble === undefined)
  const live = youtubeVideos.filter(({ creator, trouble }) => creator.id === id && trouble === 'live')
  if (tab === 'shorts') return undefined
  return listed(tab === 'streams' ? live : own, olderForm)
}

/** The target of an address; undefined if there is none, which YouTube answers with 404. */
export function resolved(address: string): object | undefined {
  const path = decodeURIComponent(new URL(address).pathname.slice(1))
  const tab = tabNames.find((name) => path.endsWith(`/${name}`))
  const creator = tab && creatorNamed(path.slice(0, -tab.length - 1))
  return creator && { endpoint: { browseEndpoint: { browseId: creator.id, params: paramsOf(tab) } } }
}

const paramsOf = (tab: Tab): string => Buffer.from(`tab ${tab}`).toString('base64')

/** @param place of any page except the first */
type Place = { list: string; from: number }

export function browsed(asked: { browseId?: string; params?: string; continuation?: string }): object | undefined {
  if (asked.continuation !== undefined) return later(asked.continuation)
  const { browseId = '', params = '' } = asked
  if (browseId.startsWith('VL')) return playlistPage(browseId.slice(2))
  const creator = channels.find(({ id }) => id === browseId)
  const tab = tabNames.find((name) => paramsOf(name) === params)
  return creator && tab && channelPage(creator, tab)
}

function later(token: string): object | undefined {
  const { list, from } = JSON.parse(Buffer.from(token, 'base64url').toString()) as Place
  const [id = '', tab] = list.split(' ')
  const playlist = playlists[id]
  const creator = channels.find((one) => one.id === id)
  const entries = playlist?.entries ?? (creator && tabOf(creator, tab as Tab))
  if (!entries) return undefined
  const items = pageOf(list, entries, { from, wrapped: !playlist })
  return { onResponseReceivedActions: [{ appendContinuationItemsAction: { continuationItems: items } }] }
}

/** `wrapped`: each item in a `richItemRenderer`, as in channels. */
function pageOf(
  list: string,
  entries: readonly Entry[],
  { from, wrapped }: { from: number; wrapped: boolean },
): object[] {
  const to = from + (wrapped ? PAGE.channel : PAGE.playlist)
  const items = entries.slice(from, to).map(({ video, form }) => {
    const item = form(video)
    return wrapped ? { richItemRenderer: { content: item } } : item
  })
  return to < entries.length ? [...items, continuationOf({ list, from: to })] : items
}

function channelPage(creator: Channel, shown: Tab): object {
  const { id, handle, name, bio } = creator
  const tabs = tabNames.filter((tab) => tabOf(creator, tab) !== undefined)
  const home = { url: `/@${handle}/featured`, selected: !tabs.includes(shown), items: [] as object[] }
  const listed = tabs.map((tab) => ({
    url: `/@${handle}/${tab}`,
    selected: tab === shown,
    items: pageOf(`${id} ${tab}`, tabOf(creator, tab) ?? [], { from: 0, wrapped: true }),
  }))
  return {
    contents: {
      twoColumnBrowseResultsRenderer: {
        tabs: [home, ...listed].map(({ url, selected, items }) => ({
          tabRenderer: {
            endpoint: { commandMetadata: { webCommandMetadata: { url } } },
            ...(selected && { selected, content: { richGridRenderer: { contents: items } } }),
          },
        })),
      },
    },
    header: { pageHeaderRenderer: { content: { pageHeaderViewModel: headerOf(creator) } } },
    metadata: {
      channelMetadataRenderer: {
        title: name,
        description: bio,
        externalId: id,
        vanityChannelUrl: `http://www.youtube.com/@${handle}`,
        avatar: { thumbnails: [{ url: `https://yt3.googleusercontent.com/${handle}=s900`, width: 900, height: 900 }] },
      },
    },
  }
}

const part = (content: string): object => ({ text: { content } })

function headerOf({ name, handle, followers, videos, verified }: Channel): object {
  const check = {
    element: {
      type: { imageType: { image: { sources: [{ clientResource: { imageName: 'CHECK_CIRCLE_FILLED' } }] } } },
    },
  }
  return {
    title: { dynamicTextViewModel: { text: { content: name, ...(verified && { attachmentRuns: [check] }) } } },
    metadata: {
      contentMetadataViewModel: {
        metadataRows: [
          { metadataParts: [part(`@${handle}`)] },
          { metadataParts: [part(`${rounded(followers)} subscribers`), part(`${rounded(videos)} videos`)] },
        ],
      },
    },
  }
}

/** Rounded like YouTube: three digits. */
function rounded(count: number): string {
  if (count < 1_000) return String(count)
  return `${Number((count / 1_000).toPrecision(3))}K`
}

function playlistPage(id: string): object {
  const playlist = playlists[id]
  if (!playlist)
    return {
      alerts: [{ alertRenderer: { type: 'ERROR', text: { simpleText: 'The playlist does not exist.' } } }],
    }
  const { title, owner, entries } = playlist
  const items = pageOf(id, entries, { from: 0, wrapped: false })
  const isNewer = entries[0]?.form === lockupOf
  const section = isNewer ? items : [{ playlistVideoListRenderer: { contents: items } }]
  const content = { sectionListRenderer: { contents: [{ itemSectionRenderer: { contents: section } }] } }
  const run = { text: owner.name, navigationEndpoint: { browseEndpoint: { browseId: owner.id } } }
  return {
    contents: { twoColumnBrowseResultsRenderer: { tabs: [{ tabRenderer: { selected: true, content } }] } },
    header: {
      playlistHeaderRenderer: {
        numVideosText: { runs: [{ text: String(entries.length) }, { text: ' videos' }] },
        ownerText: { runs: [run] },
      },
    },
    metadata: { playlistMetadataRenderer: { title, description: `${title}, by ${owner.name}` } },
  }
}

/** A channel does not name itself beside each of its videos. */
function olderForm(video: CatalogueVideo): object {
  const style = video.trouble === 'live' ? 'LIVE' : 'DEFAULT'
  const thumbnailOverlays = [{ thumbnailOverlayTimeStatusRenderer: { style } }]
  return { videoRenderer: { ...rendererOf(video), thumbnailOverlays } }
}

function lockupOf(video: CatalogueVideo): object {
  const badges = [
    { thumbnailBadgeViewModel: { text: clock(video), badgeStyle: 'THUMBNAIL_OVERLAY_BADGE_STYLE_DEFAULT' } },
  ]
  const thumbnailViewModel = {
    image: { sources: [pictureOf(video)] },
    overlays: [{ thumbnailBottomOverlayViewModel: { badges } }],
  }
  const metadataParts = [part(`${rounded(video.views)} views`), part('3 weeks ago')]
  return {
    lockupViewModel: {
      contentId: video.id,
      contentType: 'LOCKUP_CONTENT_TYPE_VIDEO',
      contentImage: { thumbnailViewModel },
      metadata: {
        lockupMetadataViewModel: {
          title: { content: video.title },
          metadata: { contentMetadataViewModel: { metadataRows: [{ metadataParts }] } },
        },
      },
    },
  }
}

const shortOf = (video: CatalogueVideo): object => ({
  shortsLockupViewModel: {
    onTap: { innertubeCommand: { reelWatchEndpoint: { videoId: video.id } } },
    overlayMetadata: {
      primaryText: { content: video.title },
      secondaryText: { content: `${rounded(video.views)} views` },
    },
    thumbnailViewModel: { thumbnailViewModel: { image: { sources: [pictureOf(video)] } } },
  },
})

const playlistVideoOf = (video: CatalogueVideo): object => ({
  playlistVideoRenderer: {
    videoId: video.id,
    thumbnail: { thumbnails: [pictureOf(video)] },
    title: { runs: [{ text: video.title }] },
    shortBylineText: {
      runs: [{ text: video.creator.name, navigationEndpoint: { browseEndpoint: { browseId: video.creator.id } } }],
    },
    lengthText: { simpleText: clock(video) },
    videoInfo: { runs: [{ text: `${rounded(video.views)} views` }, { text: ' • ' }, { text: '3 weeks ago' }] },
  },
})

/** Playlists by id. The second is in YouTube's newer form. */
const playlists: Record<string, { title: string; owner: Channel; entries: Entry[] }> = {
  PLlongShelfSandboxAllOfTheBooks001: {
    title: 'All of the books',
    owner: longShelf,
    entries: shelf.videos.map((video) => ({ video, form: playlistVideoOf })),
  },
  PLnovelHourSandboxSomeOfThem000002: {
    title: 'Some of them',
    owner: youtubeVideos[0]?.creator as Channel,
    entries: youtubeVideos.slice(0, 4).map((video) => ({ video, form: lockupOf })),
  },
}
