import type { SandboxPage } from '../site.ts'
import { isPrivate, type TikTokCreator, type TikTokVideo, tiktokVideos } from './catalogue.ts'
import { pictureAddress } from './cdn.ts'
import { classifiedItem, type Handing, itemOf, statsOf, userOf } from './item.ts'

/** TikTok's numbers for the reasons that a page shows nothing. */
const codes = {
  ofPrivateVideo: 10_216,
  ofPrivateAccount: 10_222,
  /** The video is not shown to this address, because of its country or kind. */
  toThisAddress: 10_204,
  /** Represents all reasons that yt-dlp distinguishes by their number only. */
  gone: 10_215,
  noSuchUser: 10_221,
} as const

const EMBEDDED = 10

/** The page of a post; undefined for an unknown id. @param isSignedIn true for a follower of all creators */
export function videoPage(post: TikTokVideo | undefined, handing: Handing, isSignedIn = false): SandboxPage {
  return rehydrated({ 'webapp.video-detail': detailOf(post, handing, isSignedIn) })
}

function detailOf(post: TikTokVideo | undefined, handing: Handing, isSignedIn: boolean): object {
  if (post?.trouble === 'private' && isSignedIn)
    return { itemInfo: { itemStruct: { ...itemOf(post, handing), privateItem: true, secret: true } }, ...ok }
  if (!post || post.trouble === 'deleted') return nothing(codes.gone)
  if (post.trouble === 'geo_blocked') return nothing(codes.toThisAddress)
  if (post.trouble === 'private')
    return nothing(isPrivate(post.creator) ? codes.ofPrivateAccount : codes.ofPrivateVideo)
  const itemStruct = post.trouble === 'age_restricted' ? classifiedItem(post) : itemOf(post, handing)
  return { itemInfo: { itemStruct }, ...ok }
}

const ok = { statusCode: 0 }
const nothing = (statusCode: number): object => ({ itemInfo: {}, statusCode })

const isShell = (creator?: TikTokCreator): boolean =>
  creator?.profile === 'shell' || creator?.profile === 'private_shell'

/** The page of a creator; undefined for an unknown name. @param isSignedIn true for a follower of all creators */
export function profilePage(creator: TikTokCreator | undefined, isSignedIn = false): SandboxPage {
  if (isShell(creator)) return rehydrated({})
  if (!creator) return rehydrated({ 'webapp.user-detail': { userInfo: {}, statusCode: codes.noSuchUser } })
  const { followers, following, likes, videos } = creator
  const statsV2 = {
    followerCount: String(followers),
    followingCount: String(following),
    heartCount: String(likes),
    videoCount: String(videos),
  }
  const userInfo = { user: userOf(creator), stats: statsOf(creator), statsV2 }
  const statusCode = isPrivate(creator) && !isSignedIn ? codes.ofPrivateAccount : 0
  return rehydrated({ 'webapp.user-detail': { userInfo, statusCode } })
}

const rehydrated = (scope: object): SandboxPage => ({
  data: { __DEFAULT_SCOPE__: { ...scope, 'webapp.app-context': { language: 'en', region: 'US', appId: 1233 } } },
  render: inScript('__UNIVERSAL_DATA_FOR_REHYDRATION__'),
})

/** The page for embedding a creator in other sites: the latest videos, with their play counts only. */
export function embedPage(creator: TikTokCreator | undefined, handle: string): SandboxPage {
  const isShown = creator?.profile === 'open' || isShell(creator)
  const route = creator && isShown ? embedded(creator) : { isError: true, userInfo: { code: 404 }, videoList: [] }
  return {
    data: { source: { data: { [`/embed/@${handle}`]: route } } },
    render: inScript('__FRONTITY_CONNECT_STATE__'),
  }
}

function embedded(creator: TikTokCreator): object {
  const { id, handle, name, verified, followers, following, likes } = creator
  const own = tiktokVideos.filter((video) => video.creator === creator)
  const open = own
    .filter(({ trouble }) => trouble === undefined)
    .sort((a, b) => b.published.localeCompare(a.published))
    .slice(0, EMBEDDED)
  // Videos that the creator has made private since are still listed.
  const videos = [...own.filter(({ trouble }) => trouble === 'private'), ...open]
  return {
    userInfo: {
      id,
      uniqueId: handle,
      nickname: name,
      avatarThumbUrl: pictureAddress('leisure', 'avatar'),
      verified,
      privateAccount: isPrivate(creator),
      followerCount: followers,
      followingCount: following,
      heartCount: likes,
    },
    videoList: videos.map((video) => ({
      id: video.id,
      desc: video.description,
      playCount: video.views,
      coverUrl: pictureAddress(video.film, 'cover'),
      // The videos of a private account need not be private themselves.
      privateItem: video.trouble === 'private' && !isPrivate(creator),
    })),
  }
}

const inScript =
  (id: string) =>
  (data: object): string =>
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>TikTok - Make Your Day</title></head><body><div id="app"></div>
<script id="${id}" type="application/json">${JSON.stringify(data).replaceAll('<', '\\u003C')}</script></body></html>`
