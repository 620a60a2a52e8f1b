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
      entities: [
        {
          from_index: words.length + 1,
          to_index: words.length + 11,
          ref: {
            __typename: 'TimelineUrl',
            url: 'https://help.twitter.com/rules-and-policies/notices-on-twitter',
            url_type: 'ExternalUrl',
          },
        },
      ],
      rtl: false,
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
  errors: [{ message, path: ['tweetResult'], extensions: { name: 'DependencyError', kind: 'Operational' } }],
  data: { tweetResult: {} },
})

function tweet(post: Post): object {
  const { id, creator, views } = post
  const editable = String(Date.parse(post.published) + 3_600_000)
  return {
    __typename: 'Tweet',
    rest_id: id,
    core: { user_results: { result: { __typename: 'User', ...userIds(post), legacy: legacyUser(post) } } },
    unmention_data: {},
    edit_control: {
      edit_tweet_ids: [id],
      editable_until_msecs: editable,
      is_edit_eligible: true,
      edits_remaining: '5',
    },
    is_translatable: false,
    views: { count: String(views), state: 'EnabledWithCount' },
    source: '<a href="https://mobile.twitter.com" rel="nofollow">Twitter Web App</a>',
    legacy: {
      bookmark_count: 7,
      bookmarked: false,
      created_at: dateOf(post.published),
      conversation_id_str: id,
      display_text_range: [0, post.description.length],
      entities: entitiesOf(post),
      ...(!post.silent && { extended_entities: { media: mediaOf(post) } }),
      favorite_count: post.likes,
      favorited: false,
      full_text: wordsOf(post),
      is_quote_status: false,
      lang: 'en',
      possibly_sensitive: false,
      quote_count: 1,
      reply_count: post.comments,
      retweet_count: post.shares,
      retweeted: false,
      user_id_str: creator.id,
      id_str: id,
    },
  }
}

const userIds = ({ creator }: Post): object => ({
  id: Buffer.from(`User:${creator.id}`).toString('base64'),
  rest_id: creator.id,
  is_blue_verified: creator.verified,
  profile_image_shape: 'Circle',
})

const legacyUser = ({ creator }: Post): object => ({
  created_at: 'Wed Dec 06 23:38:10 +0000 2023',
  description: creator.bio,
  favourites_count: creator.likes,
  followers_count: creator.followers,
  friends_count: creator.following,
  media_count: creator.videos,
  name: creator.name,
  normal_followers_count: creator.followers,
  possibly_sensitive: false,
  screen_name: creator.handle,
  verified: false,
})

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

function entitiesOf(post: Post): object {
  const hashtags = [...post.description.matchAll(/#(\w+)/g)].map(({ index, 0: { length }, 1: text }) => ({
    indices: [index, index + length],
    text,
  }))
  return {
    hashtags,
    ...(!post.silent && { media: mediaOf(post) }),
    symbols: [],
    timestamps: [],
    urls: [],
    user_mentions: [],
  }
}

const mediaOf = (post: Post): object[] =>
  videosOf(post).map((video) => ({
    ...shownOf(video),
    id_str: video.id,
    media_key: `7_${video.id}`,
    additional_media_info: { monetizable: false },
    media_results: { result: { media_key: `7_${video.id}` } },
  }))

/** The data of a video in both of X's interfaces. */
function shownOf(video: PostVideo): object {
  const { post } = video
  const index = videosOf(post).findIndex(({ id }) => id === video.id)
  const [width, height] = (sizes.at(-1)?.size.split('x') ?? []).map(Number)
  const size = (resize: string) => ({ h: height, w: width, resize })
  return {
    display_url: `pic.x.com/${shortCodeOf(post.id)}`,
    expanded_url: `${post.url}/video/${index + 1}`,
    indices: [post.description.length + 1, wordsOf(post).length],
    media_url_https: pictureUrl(video),
    type: 'video',
    url: shortLinkOf(post),
    ext_media_availability: { status: 'Available' },
    sizes: { large: size('fit'), thumb: { h: 150, w: 150, resize: 'crop' } },
    original_info: { height, width, focus_rects: [] },
    video_info: { aspect_ratio: [16, 9], duration_millis: millisOf(video), variants: variantsOf(video) },
  }
}

/** The answer of `cdn.syndication.twimg.com/tweet-result`; undefined for posts that it does not have. */
export function syndicationAnswer(post: Post): object | undefined {
  const words = tombstoneOf(post)
  if (words !== undefined) return tombstone(words)
  return post.trouble && post.trouble !== 'api_fails' ? undefined : embedded(post)
}

function embedded(post: Post): object {
  const { id, creator } = post
  const [first] = videosOf(post)
  return {
    __typename: 'Tweet',
    lang: 'en',
    favorite_count: post.likes,
    possibly_sensitive: false,
    created_at: new Date(post.published).toISOString(),
    display_text_range: [0, post.description.length],
    entities: { hashtags: [], urls: [], user_mentions: [], symbols: [] },
    id_str: id,
    text: wordsOf(post),
    user: {
      id_str: creator.id,
      name: creator.name,
      screen_name: creator.handle,
      is_blue_verified: creator.verified,
      profile_image_shape: 'Circle',
      verified: false,
    },
    edit_control: { edit_tweet_ids: [id], is_edit_eligible: true, edits_remaining: '5' },
    ...(first && { mediaDetails: videosOf(post).map(shownOf), photos: [], video: playerOf(first) }),
    conversation_count: post.comments,
    news_action_type: 'conversation',
    isEdited: false,
    isStaleEdit: false,
  }
}

const playerOf = (video: PostVideo): object => ({
  aspectRatio: [16, 9],
  contentType: 'media_entity',
  durationMs: millisOf(video),
  mediaAvailability: { status: 'available' },
  poster: pictureUrl(video),
  variants: (variantsOf(video) as { content_type: string; url: string }[]).map(({ content_type: type, url }) => ({
    type,
    src: url,
  })),
  videoId: { type: 'tweet', id: video.post.id },
  viewCount: 0,
})
