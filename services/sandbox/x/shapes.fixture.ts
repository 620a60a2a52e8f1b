import { ytdlpFormat } from '../ytdlp-format.fixture.ts'

/** A video of a post. */
const media = {
  media_url_https: '',
  type: '',
  sizes: { large: { h: 0, w: 0 } },
  original_info: { height: 0, width: 0 },
  video_info: { duration_millis: 0, variants: [{ content_type: '', url: '', bitrate: 0 }] },
}

/**
 * Shapes of X's answers that the sandbox imitates: fields and types, in objects without content. They were read from
 * recordings of the real site. The honesty tests compare them with the recordings if those are present.
 */
export const xShapes = {
  /** A post, for guests. */
  post: {
    data: {
      tweetResult: {
        result: {
          __typename: '',
          core: { user_results: { result: { __typename: '', legacy: { name: '', screen_name: '' } } } },
          views: { count: '' },
          legacy: {
            created_at: '',
            entities: { hashtags: [{ text: '' }], urls: [] },
            extended_entities: { media: [{ ...media, id_str: '' }] },
            favorite_count: 0,
            full_text: '',
            possibly_sensitive: true,
            reply_count: 0,
            retweet_count: 0,
            user_id_str: '',
          },
        },
      },
    },
  },
  /** A post for embedding. */
  embedded: {
    __typename: '',
    favorite_count: 0,
    possibly_sensitive: true,
    created_at: '',
    entities: { hashtags: [], urls: [] },
    text: '',
    user: { id_str: '', name: '', screen_name: '' },
    mediaDetails: [media],
    tombstone: { text: { text: '' } },
  },
  /** The dictionary that yt-dlp makes of a post. */
  info: {
    id: '',
    title: '',
    description: '',
    uploader: '',
    timestamp: 0,
    view_count: 0,
    like_count: 0,
    repost_count: 0,
    comment_count: 0,
    formats: [
      {
        ...ytdlpFormat,
        format_index: null,
        manifest_url: '',
        preference: null,
        quality: null,
        has_drm: true,
        filesize_approx: 0,
        fps: null,
      },
    ],
    subtitles: { any: [{ url: '', ext: '', protocol: '' }] },
    duration: 0,
    display_id: '',
    thumbnail: '',
    upload_date: '',
  },
}
