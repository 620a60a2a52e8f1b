import { randomInt } from 'node:crypto'
import type { ProfileVideo } from '#contracts/generated/http.ts'
import type { SourcePage } from '../paging/take-items.ts'
import { readAll, type Shape } from '../reading/shape.ts'
import { tagsOf } from '../reading/tags.ts'

const API = 'https://www.tiktok.com/api/creator/item_list/'
/** No video is older: TikTok began later. Milliseconds since 1970. */
const FIRST_AT = 1_472_706_000_000
const WEEK_MS = 7 * 86_400_000

/**
 * Where the older videos of an account begin. `secUid`: TikTok's id of the account; `before`: milliseconds since
 * 1970.
 */
type Older = { secUid: string; before: number; lastId: string }

export const olderToken = ({ secUid, before, lastId }: Older): string => `${secUid} ${before} ${lastId}`

function olderOf(token: string): Older {
  const [secUid = '', before, lastId = ''] = token.split(' ')
  return { secUid, before: Number(before), lastId }
}

/** The request that TikTok's page and yt-dlp send for the videos before an instant. */
export function olderUrl(token: string): string {
  const { secUid, before } = olderOf(token)
  const query = new URLSearchParams({
    aid: '1988',
    app_language: 'en',
    app_name: 'tiktok_web',
    channel: 'tiktok_web',
    count: '15',
    cursor: String(before),
    device_id: `7${String(randomInt(10 ** 9)).padStart(9, '0')}${String(randomInt(10 ** 9)).padStart(9, '0')}`,
    device_platform: 'web_pc',
    from_page: 'user',
    language: 'en',
    os: 'windows',
    region: 'US',
    secUid,
    // newest first
    type: '1',
    tz_name: 'UTC',
    verifyFp: `verify_${randomInt(16 ** 6, 16 ** 7).toString(16)}`,
  })
  return `${API}?${query}`
}

/** The videos of an answer to {@link olderUrl}, newest first. @throws ShapeError */
export function parseOlder(answer: Shape, token: string): SourcePage<ProfileVideo> {
  const { secUid, before, lastId } = olderOf(token)
  const listed = answer.optional('list', 'itemList') ?? []
  const open = listed.filter((item) => !isPrivate(item) && item.optional('string', 'id') !== lastId)
  const last = listed.at(-1)
  const oldest = last && last.required('count', 'createTime') * 1000
  // nothing was published in the weeks that TikTok searched
  const next = oldest === undefined || oldest >= before ? before - WEEK_MS : oldest
  const hasMore = answer.optional('boolean', 'hasMorePrevious') === true && next > FIRST_AT
  const id = last?.required('string', 'id') ?? lastId
  return {
    items: readAll(open, parseVideo),
    next: hasMore ? olderToken({ secUid, before: next, lastId: id }) : null,
  }
}

/** The operator's account may follow a private account. Its videos are not for our callers. */
const isPrivate = (item: Shape): boolean =>
  [['privateItem'], ['secret'], ['author', 'privateAccount']].some((path) => item.optional('boolean', ...path) === true)

function parseVideo(item: Shape): ProfileVideo {
  const id = item.required('string', 'id')
  const caption = item.expected('string', 'desc')
  const username = item.required('string', 'author', 'uniqueId')
  const url = `https://www.tiktok.com/@${username}`
  return {
    platform: 'tiktok',
    type: 'video',
    id,
    url: `${url}/video/${id}`,
    title: caption,
    description: caption,
    stats: {
      views: item.expected('count', 'stats', 'playCount'),
      likes: item.expected('count', 'stats', 'diggCount'),
      comments: item.expected('count', 'stats', 'commentCount'),
      shares: item.expected('count', 'stats', 'shareCount'),
    },
    media: {
      type: 'video',
      thumbnailUrl: item.expected('string', 'video', 'cover'),
      duration: item.optional('count', 'video', 'duration') || null,
    },
    tags: tagsOf(caption),
    createdAt: new Date(item.required('count', 'createTime') * 1000).toISOString(),
    authorId: item.optional('text', 'author', 'id'),
    authorUrl: url,
    isLive: null,
    additionalData: {},
  }
}
