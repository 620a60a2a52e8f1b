/** The creator of a post. */
const user = {
  pk: '',
  pk_id: '',
  id: '',
  username: '',
  full_name: '',
  is_private: true,
  is_verified: true,
  profile_pic_url: '',
}

/** A video or a picture, alone or in a carousel. */
const media = {
  original_width: 0,
  original_height: 0,
  image_versions2: { candidates: [{ width: 0, height: 0, url: '' }] },
  video_versions: [{ width: 0, height: 0, type: 0, url: '' }],
  video_duration: 0,
  video_codec: '',
  has_audio: true,
  is_dash_eligible: 0,
  number_of_qualities: 0,
  video_dash_manifest: '',
}

/**
 * Shapes of Instagram's answers that the sandbox imitates: fields and types, in objects without content. They were read
 * from recordings of the real site. The honesty tests compare them with the recordings if those are present.
 */
export const instagramShapes = {
  /** A post. */
  post: {
    pk: '',
    id: '',
    code: '',
    taken_at: 0,
    media_type: 0,
    product_type: '',
    caption: {
      pk: '',
      created_at: 0,
      created_at_utc: 0,
      content_type: '',
      media_id: '',
      status: '',
      type: 0,
      user_id: '',
      text: '',
    },
    user,
    owner: user,
    like_and_view_counts_disabled: true,
    like_count: 0,
    comment_count: 0,
    play_count: 0,
    ig_play_count: 0,
    ...media,
    carousel_media_count: 0,
    carousel_media: [
      {
        id: '',
        carousel_parent_id: '',
        media_type: 0,
        ...media,
      },
    ],
  },
  /** A profile, without its posts. */
  profile: {
    data: {
      user: {
        biography: '',
        bio_links: [],
        blocked_by_viewer: true,
        country_block: true,
        edge_followed_by: { count: 0 },
        edge_follow: { count: 0 },
        fbid: '',
        full_name: '',
        id: '',
        is_business_account: true,
        is_private: true,
        is_verified: true,
        profile_pic_url: '',
        profile_pic_url_hd: '',
        username: '',
        edge_owner_to_timeline_media: {
          count: 0,
          page_info: { has_next_page: true, end_cursor: '' },
          edges: [{ node: {} }],
        },
      },
    },
    status: '',
  },
  /** A post of a profile. */
  profilePost: {
    __typename: '',
    id: '',
    shortcode: '',
    dimensions: { height: 0, width: 0 },
    display_url: '',
    owner: { id: '', username: '' },
    is_video: true,
    accessibility_caption: null,
    has_audio: true,
    video_url: '',
    video_view_count: 0,
    product_type: '',
    edge_media_to_caption: { edges: [{ node: { text: '' } }] },
    edge_media_to_comment: { count: 0 },
    comments_disabled: true,
    taken_at_timestamp: 0,
    edge_liked_by: { count: 0 },
    edge_media_preview_like: { count: 0 },
    location: null,
    thumbnail_src: '',
    like_and_view_counts_disabled: true,
  },
}
