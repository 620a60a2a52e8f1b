import { type FilmName, secondsOf } from '../films.ts'
import type { Media } from '../media.ts'
import { address } from './cdn.ts'

/** `video_dash_manifest`: picture and sound separately, each a whole file. */
export function dashManifest(film: FilmName, media: Media): string {
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
