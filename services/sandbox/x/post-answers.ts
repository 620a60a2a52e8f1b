import type { Trouble } from '../catalogue.ts'
import { type Post, textPost, xVideos } from './catalogue.ts'
import { millisOf, type PostVideo, pictureUrl, sizes, variantsOf, videosOf } from './post-videos.ts'

/** Finds posts with and without a video, also those that are not shown. */
export const findPost = (id: string | null): Post | undefined => [...xVideos, textPost].find((post) => post.id === id)

/** The text that X shows instead of a post, if it shows one. */
function tombstoneOf({ trouble, creator }: Post): string | undefined {
  const words: Partial<Record<Trouble, string>> = {
    deleted: 'This Post was deleted by the Post author.',
    geo_blocked: `This Post from @${creator.handle} has been withheld in Germany in response to a legal demand.`,
  }
  return trouble && words[trouble]
}

const tombstone = (words: string): object => ({
  __typename: 'TweetTombstone',
  tombstone: {
    text: {
      text: `${words} Learn more`,
    },
  },
})

/** Why X hides a post from callers who have not signed in. */
const unavailable: Partial<Record<Trouble, string>> = { private: 'Protected', age_restricted: 'NsfwLoggedOut' }

/** The answer of `TweetResultByRestId` to a guest. */
export function graphqlAnswer(post: Post | undefined): object {
  if (post?.apiError !== undefined) return failing(post.apiError)
  const words = post && tombstoneOf(post)
  const reason = post?.trouble && unavailable[post.trouble]
  const result = () => {
    if (words !== undefined) return tombstone(words)
    return reason === undefined ? post && tweet(post) : { __typename: 'TweetUnavailable', reason }
  }
  return { data: { tweetResult: { result: result() } } }
}

const failing = (message: string): object => ({
  errors: [{ message }],
  data: { tweetResult: {} },
})

function tweet(post: Post): object {
  const { creator, views } = post
  const user = { __typename: 'User', legacy: { name: creator.name, screen_name: creator.handle } }
  return {
    __typename: 'Tweet',
    core: { user_results: { result: user } },
    views: { count: String(views) },
    legacy: {
      created_at: dateOf(post.published),
      entities: { hashtags: hashtagsOf(post), urls: [] },
      ...(!post.silent && { extended_entities: { media: mediaOf(post) } }),
      favorite_count: post.likes,
      full_text: wordsOf(post),
      possibly_sensitive: false,
      reply_count: post.comments,
      retweet_count: post.shares,
      user_id_str: creator.id,
    },
  }
}

/** `Tue Oct 01 19:59:18 +0000 2024` */
function dateOf(published: string): string {
  const [day, date, month, year, time] = new Date(published).toUTCString().replace(',', '').split(' ')
  return `${day} ${month} ${date} ${time} +0000 ${year}`
}

/** The address that a post uses for its own videos. */
const shortLinkOf = ({ id }: Post): string => `https://t.co/${shortCodeOf(id)}`
export const shortCodeOf = (id: string): string => BigInt(id).toString(36).slice(-10)

/** The text of a post, followed by the address of its videos, and with `&` in X's notation. */
const wordsOf = (post: Post): string =>
  `${post.description.replaceAll('&', '&amp;')}${post.silent ? '' : ` ${shortLinkOf(post)}`}`

const hashtagsOf = ({ description }: Post): object[] =>
  [...description.matchAll(/#(\w+)/g)].map(([, text]) => ({ text }))

const mediaOf = (post: Post): object[] => videosOf(post).map((video) => ({ ...shownOf(video), id_str: video.id }))

/** The data of a video in both of X's interfaces. */
function shownOf(video: PostVideo): object {
  const [width, height] = (sizes.at(-1)?.size.split('x') ?? []).map(Number)
  return {
    media_url_https: pictureUrl(video),
    type: 'video',
    sizes: { large: { h: height, w: width } },
    original_info: { height, width },
    video_info: { duration_millis: millisOf(video), variants: variantsOf(video) },
  }
}

/** The answer of `cdn.syndication.twimg.com/tweet-result`; undefined for posts that it does not have. */
export function syndicationAnswer(post: Post): object | undefined {
  const words = tombstoneOf(post)
  if (words !== undefined) return tombstone(words)
  return post.trouble && post.trouble !== 'api_fails' ? undefined : embedded(post)
}

function embedded(post: Post): object {
  const { creator } = post
  return {
    favorite_count: post.likes,
    possibly_sensitive: false,
    created_at: new Date(post.published).toISOString(),
    entities: { hashtags: [], urls: [] },
    text: wordsOf(post),
    user: { id_str: creator.id, name: creator.name, screen_name: creator.handle },
    ...(!post.silent && { mediaDetails: videosOf(post).map(shownOf) }),
  }
}
