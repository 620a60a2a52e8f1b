import type { ProfileVideo, YouTubeChannel, YouTubePlaylist } from '#contracts/generated/http.ts'
import { countLookups } from '#packages/telemetry/count-lookups.ts'
import { type Place, type SourcePage, takeItems } from '../paging/take-items.ts'
import type { ProfilesOptions } from '../profiles/create-profiles.ts'
import { browserOf } from '../reading/browser.ts'
import { readOutside } from '../reading/read-outside.ts'
import { ReadThroughCache } from '../reading/read-through-cache.ts'
import type { Reading } from '../reading/reading.ts'
import { reportTo } from '../reading/site.ts'
import { channelOf } from '../youtube/channel-of.ts'
import { createYouTubeLists, type FirstPage } from '../youtube/lists/create-youtube-lists.ts'
import type { ChannelList, PlaylistList, YouTubeList } from '../youtube/lists/list-name.ts'

type Of<L extends YouTubeList> = L extends ChannelList ? YouTubeChannel : YouTubePlaylist

/** A part of a list, and the place at which the rest begins. Null if there is no more. */
export type ListPart<L extends YouTubeList> = { body: Omit<Of<L>, 'nextCursor'>; next: Place | null }

/**
 * Reads the lists of YouTube's channels and playlists. Throws StepError, and StaleTokenError for a place that is too
 * old.
 */
export type Lists = <L extends ChannelList | PlaylistList>(
  wish: { list: L; from: Place; limit: number },
  reading: Reading,
) => Promise<ListPart<L>>

/** Pages of YouTube that one request may read. A hundred videos take four, plus one because they may start mid-page. */
const MAX_PAGES = 5

/** Requests for the same page of a list share a read, and its result for a while. */
export function createLists(options: ProfilesOptions): Lists {
  const { clock, log, telemetry, profileSeconds: seconds } = options
  const onLookup = countLookups(telemetry, 'lists')
  const source = createYouTubeLists({ browse: browserOf(options, 'youtube'), report: reportTo(log) })
  const firsts = new ReadThroughCache<FirstPage>({ clock, seconds, onLookup })
  const later = new ReadThroughCache<SourcePage<ProfileVideo>>({ clock, seconds, onLookup })

  const outside = <T>(list: YouTubeList, reading: Reading, read: () => Promise<T>) =>
    readOutside(options, { platform: 'youtube', operation: 'list', subject: nameOf(list) }, reading, read)
  const first = (list: YouTubeList, reading: Reading): Promise<FirstPage> =>
    firsts.get(nameOf(list), reading, (shared) => outside(list, shared, () => source.first(list, shared)))
  const more = (list: YouTubeList, token: string, reading: Reading): Promise<SourcePage<ProfileVideo>> =>
    later.get(token, reading, (shared) => outside(list, shared, () => source.more(token, shared)))

  return async <L extends YouTubeList>(
    { list, from, limit }: { list: L; from: Place; limit: number },
    reading: Reading,
  ): Promise<ListPart<L>> => {
    const { head, ...page } = await first(list, reading)
    const read = async (token: string | null) => (token === null ? page : more(list, token, reading))
    const { items, next } = await takeItems(read, { from, limit, pages: MAX_PAGES })
    const videos = head.type === 'channel' ? items.map((video) => publishedBy(video, head.id)) : items
    // the head matches the kind of the list
    return { body: { ...head, videos } as unknown as ListPart<L>['body'], next }
  }
}

/** Adds the channel to its videos: a channel's page does not name it with each video. */
const publishedBy = (video: ProfileVideo, id: string): ProfileVideo =>
  video.authorId === null ? { ...video, authorId: id, authorUrl: channelOf(id).url } : video

/** A key that is unique to the list. */
export const nameOf = (list: YouTubeList): string =>
  list.kind === 'channel' ? `${list.path} ${list.type}` : `playlist ${list.id}`
