import { oembedOf } from '../oembed.ts'
import { instagramVideos } from './catalogue.ts'
import { address } from './cdn.ts'
import { mediaIdOf } from './media-id.ts'

/** `i.instagram.com/api/v1/oembed/`, an interface of Instagram's app. */
export const instagramOembed = oembedOf(instagramVideos, ({ id, url, description, creator, film }) => ({
  title: description,
  author_name: creator.handle,
  author_url: `https://www.instagram.com/${creator.handle}`,
  author_id: Number(creator.id),
  media_id: `${mediaIdOf(id)}_${creator.id}`,
  provider_name: 'Instagram',
  provider_url: 'https://www.instagram.com',
  type: 'rich',
  width: 658,
  height: null,
  html: `<blockquote class="instagram-media" data-instgrm-permalink="${url}"></blockquote>`,
  thumbnail_url: address(film, 'thumbnail'),
  thumbnail_width: 640,
  thumbnail_height: 640,
}))
