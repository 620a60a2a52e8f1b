/** A video or a picture, alone or in a carousel. */
const media = {
  image_versions2: { candidates: [{ width: 0, height: 0, url: '' }] },
  video_versions: [{ width: 0, height: 0, type: 0, url: '' }],
  video_duration: 0,
  video_codec: '',
  has_audio: true,
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
    taken_at: 0,
    caption: { text: '' },
    user: { pk: '', username: '', full_name: '', is_private: true },
    like_count: 0,
    comment_count: 0,
    ...media,
    carousel_media: [media],
  },
  /** A profile, without its posts. */
  profile: {
    data: {
      user: {
        biography: '',
        edge_followed_by: { count: 0 },
        edge_follow: { count: 0 },
        full_name: '',
        is_private: true,
        is_verified: true,
        profile_pic_url_hd: '',
        username: '',
        edge_owner_to_timeline_media: { count: 0, edges: [{ node: {} }] },
      },
    },
  },
  /** A post of a profile. */
  profilePost: {
    __typename: '',
    id: '',
    shortcode: '',
    display_url: '',
    owner: { id: '', username: '' },
    is_video: true,
    video_url: '',
    video_view_count: 0,
    product_type: '',
    edge_media_to_caption: { edges: [{ node: { text: '' } }] },
    edge_media_to_comment: { count: 0 },
    taken_at_timestamp: 0,
    edge_liked_by: { count: 0 },
    like_and_view_counts_disabled: true,
  },
}
