import { oembedOf } from '../oembed.ts'
import { youtubeVideos } from './catalogue.ts'

/** `www.youtube.com/oembed`. It has no bot wall. */
export const youtubeOembed = oembedOf(
  youtubeVideos,
  ({ id, title, creator }) => ({
    title,
    author_name: creator.name,
    author_url: `https://www.youtube.com/@${creator.handle}`,
    type: 'video',
    height: 113,
    width: 200,
    provider_name: 'YouTube',
    provider_url: 'https://www.youtube.com/',
    thumbnail_height: 360,
    thumbnail_width: 480,
    thumbnail_url: `https://i.ytimg.com/vi/${id}/hqdefault.jpg`,
    html: `<iframe width="200" height="113" src="https://www.youtube.com/embed/${id}?feature=oembed" frameborder="0" allowfullscreen></iframe>`,
  }),
  ['bot_check'],
)
