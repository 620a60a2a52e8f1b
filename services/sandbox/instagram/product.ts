import { type FilmName, secondsOf } from '../films.ts'
import type { Media } from '../media.ts'
import type { InstagramCreator, InstagramPost, Part } from './catalogue.ts'
import { address } from './cdn.ts'
import { mediaIdOf } from './media-id.ts'

const SIZE = { width: 320, height: 180 }
const types = { image: 1, video: 2, reel: 2, carousel: 8 } as const
const products = { image: 'feed', video: 'feed', reel: 'clips', carousel: 'carousel_container' } as const

/** A post in the form of Instagram's interfaces for its own clients. */
export function productOf(post: InstagramPost, media: Media): object {
  const { id, kind, creator, description, published, likes, comments, views, parts } = post
  const pk = mediaIdOf(id)
  const [first] = parts
  const at = Date.parse(published) / 1_000
  return {
    pk,
    id: `${pk}_${creator.id}`,
    code: id,
    taken_at: at,
    media_type: types[kind],
    product_type: products[kind],
    caption: {
      pk: `1${creator.id}`,
      created_at: at,
      created_at_utc: at,
      content_type: 'comment',
      media_id: pk,
      status: 'Active',
      type: 1,
      user_id: creator.id,
      text: description,
    },
    user: userOf(creator),
    owner: userOf(creator),
    ...(post.audience && { audience: post.audience }),
    like_and_view_counts_disabled: false,
    like_count: likes,
    comment_count: comments,
    ...(first.kind === 'film' && { play_count: views, ig_play_count: views }),
    ...(kind === 'carousel'
      ? {
          carousel_media_count: parts.length,
          carousel_media: parts.map((part, index) => child(post, part, index, media)),
        }
      : shownIn(first, media)),
  }
}

const userOf = ({ id, handle, name, verified, profile }: InstagramCreator): object => ({
  pk: id,
  pk_id: id,
  id,
  username: handle,
  full_name: name,
  is_private: profile === 'private',
  is_verified: verified,
  profile_pic_url: address('leisure', 'thumbnail'),
})

function child(post: InstagramPost, part: Part, index: number, media: Media): object {
  const pk = partIdOf(post, index)
  return {
    pk,
    id: `${pk}_${post.creator.id}`,
    carousel_parent_id: `${mediaIdOf(post.id)}_${post.creator.id}`,
    media_type: part.kind === 'film' ? types.video : types.image,
    ...shownIn(part, media),
  }
}

/** The number of a carousel's part. */
export const partIdOf = ({ id }: InstagramPost, index: number): string =>
  String(BigInt(mediaIdOf(id)) - BigInt(index + 1))

function shownIn({ kind, film }: Part, media: Media): object {
  const picture = {
    original_width: SIZE.width,
    original_height: SIZE.height,
    image_versions2: { candidates: [{ ...SIZE, url: address(film, 'thumbnail') }] },
  }
  if (kind === 'picture') return picture
  return {
    ...picture,
    video_versions: [{ ...SIZE, type: 101, url: address(film, 'film') }],
    video_duration: secondsOf(film),
    video_codec: 'avc1.64001F',
    has_audio: true,
    is_dash_eligible: 1,
    number_of_qualities: 1,
    video_dash_manifest: dashManifest(film, media),
  }
}

/** `video_dash_manifest`: picture and sound by themselves, a whole file each. */
function dashManifest(film: FilmName, media: Media): string {
  const seconds = secondsOf(film)
  const length = `PT0H0M${seconds.toFixed(3)}S`
  const bandwidth = (bytes: number): number => Math.round((bytes * 8) / seconds)
  const { picture, m4a } = media[film]
  return `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" minBufferTime="PT1.500S" type="static" mediaPresentationDuration="${length}" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011">
 <Period duration="${length}">
  <AdaptationSet segmentAlignment="true" par="16:9" lang="und" subsegmentAlignment="true">
   <Representation id="17913748483407448vd" mimeType="video/mp4" codecs="avc1.64001F" width="320" height="180" frameRate="5" bandwidth="${bandwidth(picture.body.length)}" FBQualityClass="sd" FBQualityLabel="180w">
    <BaseURL>${inXml(address(film, 'picture'))}</BaseURL>
    <SegmentBase indexRangeExact="true" indexRange="914-993"><Initialization range="0-913"/></SegmentBase>
   </Representation>
  </AdaptationSet>
  <AdaptationSet segmentAlignment="true" lang="und" subsegmentAlignment="true">
   <Representation id="17913748573407448ad" mimeType="audio/mp4" codecs="mp4a.40.2" audioSamplingRate="16000" bandwidth="${bandwidth(m4a.body.length)}">
    <BaseURL>${inXml(address(film, 'm4a'))}</BaseURL>
    <SegmentBase indexRangeExact="true" indexRange="824-899"><Initialization range="0-823"/></SegmentBase>
   </Representation>
  </AdaptationSet>
 </Period>
</MPD>`
}

const inXml = (text: string): string => text.replaceAll('&', '&amp;')
