import type { CatalogueVideo } from '../catalogue.ts'
import { secondsOf } from '../films.ts'
import type { Media, MediaFile } from '../media.ts'

/** The parts of a signed address of googlevideo.com. */
export type Stream = { itag: number; language: string | undefined; file: MediaFile }

const HOST = 'rr5---sn-sandbox7l.googlevideo.com'

/** Every stream of a video. A dubbed video has a sound stream for each language. */
export function streamsOf({ film, dubs = [] }: CatalogueVideo, media: Media): Stream[] {
  const original = media[film]
  const audio = (files: Media[typeof film], language: string | undefined): Stream[] => [
    { itag: 139, language, file: files.m4a },
    { itag: 140, language, file: files.m4a },
    { itag: 251, language, file: files.webm },
  ]
  return [
    { itag: 18, language: undefined, file: original.film },
    { itag: 134, language: undefined, file: original.picture },
    ...audio(original, dubs.length > 0 ? 'en' : undefined),
    ...dubs.flatMap((dub) => audio(media[dub.film], dub.language)),
  ]
}

/** `streamingData` for the VISIONOS client. */
export function streamingData(video: CatalogueVideo, media: Media, address: string): object {
  const streams = streamsOf(video, media).map((stream) => formatOf(video, stream, address))
  return {
    formats: streams.filter(({ itag }) => itag === 18),
    adaptiveFormats: streams.filter(({ itag }) => itag !== 18),
  }
}

const shapes: Record<number, object> = {
  18: {
    mimeType: 'video/mp4; codecs="avc1.42001E, mp4a.40.2"',
    width: 640,
    height: 360,
    quality: 'medium',
    fps: 25,
    qualityLabel: '360p',
    audioQuality: 'AUDIO_QUALITY_LOW',
    audioSampleRate: '16000',
    audioChannels: 1,
  },
  134: {
    mimeType: 'video/mp4; codecs="avc1.4d401e"',
    width: 640,
    height: 360,
    quality: 'medium',
    fps: 30,
    qualityLabel: '360p',
  },
  139: {
    mimeType: 'audio/mp4; codecs="mp4a.40.5"',
    quality: 'tiny',
    audioQuality: 'AUDIO_QUALITY_LOW',
    audioSampleRate: '22050',
    audioChannels: 1,
  },
  140: {
    mimeType: 'audio/mp4; codecs="mp4a.40.2"',
    quality: 'tiny',
    audioQuality: 'AUDIO_QUALITY_MEDIUM',
    audioSampleRate: '44100',
    audioChannels: 1,
  },
  251: {
    mimeType: 'audio/webm; codecs="opus"',
    quality: 'tiny',
    audioQuality: 'AUDIO_QUALITY_MEDIUM',
    audioSampleRate: '48000',
    audioChannels: 1,
  },
}

function formatOf(video: CatalogueVideo, { itag, language, file }: Stream, address: string) {
  const seconds = secondsOf(video.film)
  const bitrate = Math.round((file.body.length * 8) / seconds)
  return {
    itag,
    url: signedUrl(video.id, itag, language, address),
    ...shapes[itag],
    bitrate,
    averageBitrate: bitrate,
    contentLength: String(file.body.length),
    projectionType: 'RECTANGULAR',
    approxDurationMs: String(Math.round(seconds * 1_000)),
    ...(language && { audioTrack: trackOf(video, language) }),
  }
}

function trackOf({ dubs = [] }: CatalogueVideo, language: string): object {
  const dub = dubs.find((one) => one.language === language)
  return dub
    ? { displayName: dub.label, id: `${language}.10`, audioIsDefault: false }
    : { displayName: 'English original', id: `${language}.4`, audioIsDefault: true }
}

function signedUrl(id: string, itag: number, language: string | undefined, address: string): string {
  const expire = String(Math.floor(Date.now() / 1_000) + 21_540)
  const query = new URLSearchParams({
    expire,
    ip: address,
    id: `o-${id}`,
    itag: String(itag),
    ...(language && { xtags: `lang=${language}` }),
    sig: 'AJfQdSswRQIhAO_sandbox',
  })
  return `https://${HOST}/videoplayback?${query}`
}
