import { type FilmName, secondsOf } from '../films.ts'
import type { Media } from '../media.ts'
import type { InstagramCreator, InstagramPost, Part } from './catalogue.ts'
import { address } from './cdn.ts'
import { mediaIdOf } from './media-id.ts'

const SIZE = { width: 320, height: 180 }

/** A post in the form of Instagram's interfaces for its own clients. */
export function productOf(post: InstagramPost, media: Media): object {
  const { id, kind, creator, description, published, likes, comments, parts } = post
  const pk = mediaIdOf(id)
  const [first] = parts
  return {
    pk,
    taken_at: Date.parse(published) / 1_000,
    caption: { text: description },
    user: userOf(creator),
    ...(post.audience && { audience: post.audience }),
    like_count: likes,
    comment_count: comments,
    ...(kind === 'carousel'
      ? { carousel_media: parts.map((part, index) => ({ pk: partIdOf(pk, index), ...shownIn(part, media) })) }
      : shownIn(first, media)),
  }
}

const userOf = ({ id, handle, name, profile }: InstagramCreator): object => ({
  pk: id,
  username: handle,
  full_name: name,
  is_private: profile === 'private',
})

/** The number of a carousel's part. */
const partIdOf = (pk: string, index: number): string => String(BigInt(pk) - BigInt(index + 1))

function shownIn({ kind, film }: Part, media: Media): object {
  const picture = { image_versions2: { candidates: [{ ...SIZE, url: address(film, 'thumbnail') }] } }
  if (kind === 'picture') return picture
  return {
    ...picture,
    video_versions: [{ ...SIZE, type: 101, url: address(film, 'film') }],
    video_duration: secondsOf(film),
    video_codec: 'avc1.64001F',
    has_audio: true,
    video_dash_manifest: dashManifest(film, media),
  }
}

/** `video_dash_manifest`: picture and sound separately, each a whole file. */
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
