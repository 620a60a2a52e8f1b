import { oembedOf } from '../oembed.ts'
import { tiktokVideos } from './catalogue.ts'
import { pictureAddress } from './cdn.ts'

/** `www.tiktok.com/oembed` */
export const tiktokOembed = oembedOf(tiktokVideos, ({ id, url, description, creator, film }) => ({
  type: 'video',
  title: description,
  author_url: `https://www.tiktok.com/@${creator.handle}`,
  author_name: creator.name,
  author_unique_id: creator.handle,
  width: '100%',
  height: '100%',
  html: `<blockquote class="tiktok-embed" cite="${url}" data-video-id="${id}"><section></section></blockquote>`,
  thumbnail_width: 320,
  thumbnail_height: 180,
  thumbnail_url: pictureAddress(film, 'cover'),
  provider_url: 'https://www.tiktok.com',
  provider_name: 'TikTok',
  embed_product_id: id,
  embed_type: 'video',
}))
