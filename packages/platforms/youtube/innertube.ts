/** This module is loaded at first use: its library has hundreds of files, which would slow the start. */
import { Innertube, Log, Parser, YTNodes } from 'youtubei.js'
import type { TokenFreeApp } from './token-free-apps.ts'

/** Sends a request of the library and returns the answer's body, for a status below 400. */
export type Post = (url: string, headers: Record<string, string>, body: string) => Promise<string>

/** An answer of `search`, with the videos that the library found in it. */
export type Searched = { answer: object; videos: FoundVideo[] }

/** A tab of a channel or a playlist, or a later page of one. */
export type Browsed = { browseId: string; params?: string } | { continuation: string }

/** A video as its search result shows it, in English. Undefined fields: the library found nothing. */
export type FoundVideo = {
  id: string | undefined
  title: string | undefined
  author: string | undefined
  authorId: string | undefined
  /** Whether it is live now. Null if the result does not show it. */
  isLive: boolean | null
  /** `15,260 views` */
  views: string | undefined
  /** `11:20` */
  length: string | undefined
  thumbnail: string | undefined
}

/** YouTube's own API, called as its page calls it. It makes no other requests. */
export type InnerTube = {
  search(q: string): Promise<Searched>
  /** The page of a search that an earlier page's token leads to. */
  searchOn(token: string): Promise<Searched>
  /** Resolves an address of YouTube to the page that it leads to. */
  resolve(url: string): Promise<unknown>
  browse(what: Browsed): Promise<unknown>
  /** The player's answer about a video. */
  player(id: string): Promise<unknown>
  /** The player's answer to an app that needs no token, with captions and streams. */
  appPlayer(id: string, app: TokenFreeApp): Promise<unknown>
  /** The parts of the watch page around the player. */
  next(id: string): Promise<unknown>
}

// the library would print unknown parts of answers to the console; `Shape` reports what we need
Log.setLevel(Log.Level.NONE)
Parser.setParserErrorHandler(() => undefined)

/** Opens a session as a new visitor. */
export async function openInnerTube(post: Post): Promise<InnerTube> {
  const tube = await Innertube.create({
    lang: 'en',
    location: 'US',
    generate_session_locally: true,
    retrieve_innertube_config: false,
    retrieve_player: false,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const body = await post(request.url, Object.fromEntries(request.headers), await request.text())
      return new Response(body, { headers: { 'content-type': 'application/json' } })
    },
  })
  const ask = async (endpoint: string, args: Record<string, unknown>): Promise<object> =>
    (await tube.actions.execute(endpoint, args)).data
  return {
    search: async (q) => findVideos(await ask('/search', { query: q, params: ONLY_VIDEOS })),
    searchOn: async (continuation) => findVideos(await ask('/search', { continuation })),
    resolve: (url) => ask('/navigation/resolve_url', { url }),
    browse: (what) => ask('/browse', what),
    // without `$fields` the answer is a hundred times larger
    player: (videoId) => ask('/player?$fields=microformat,playabilityStatus,videoDetails', { videoId }),
    appPlayer: (videoId, client) =>
      ask('/player?$fields=playabilityStatus,videoDetails,captions,streamingData', { ...willing, videoId, client }),
    next: (videoId) => ask('/next?$fields=contents,engagementPanels,playerOverlays', { ...willing, videoId }),
  }
}

/** The confirmations of a viewer before a video with a warning. */
const willing = { racyCheckOk: true, contentCheckOk: true }

/** The search page's filter "Type: Video". */
const ONLY_VIDEOS = 'EgIQAQ%3D%3D'

/** Finds the videos in an answer of `search`, wherever its layout puts them. */
export function findVideos(answer: object): Searched {
  const { contents_memo, on_response_received_commands_memo } = Parser.parseResponse(answer)
  const nodes = (contents_memo ?? on_response_received_commands_memo)?.getType(YTNodes.Video) ?? []
  return { answer, videos: nodes.map(toFound) }
}

const toFound = (node: YTNodes.Video): FoundVideo => ({
  id: node.video_id,
  title: node.title.text,
  // `N/A` is the library's text for a missing name
  author: node.author.name === 'N/A' ? undefined : node.author.name,
  authorId: node.author.id,
  isLive: isLive(node),
  views: node.view_count?.text,
  length: node.duration.text,
  thumbnail: node.best_thumbnail?.url,
})

/** A recorded video has a length; an upcoming one has a date. */
const isLive = (node: YTNodes.Video): boolean | null => {
  if (node.is_live) return true
  return node.length_text === undefined && node.upcoming === undefined ? null : false
}
