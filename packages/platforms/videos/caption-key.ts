import { toBcp47 } from '#packages/content/captions/language.ts'

/** A language, maybe with script and region, and the id of the track's name, as in YouTube's `en-nP7-2PuUl7o`. */
const named = /^([a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?)-[\w-]{11}$/i

/** What yt-dlp appends to a language: the original speech, a description of the picture. */
const kinds = /-(?:orig|desc)$/

/** The language in yt-dlp's key of a caption track or sound: `en`, `en-orig`, `en-nP7-2PuUl7o`. */
export function languageOf(key: string): string | null {
  const tag = key.replace(kinds, '')
  return toBcp47(named.exec(tag)?.[1] ?? tag)
}

/** Whether a track also describes the picture, for people who cannot see it. */
export const describesPicture = (key: string): boolean => key.endsWith('-desc')
