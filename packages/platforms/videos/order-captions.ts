import { type LanguageWish, primaryLanguage, sameLanguage, toBcp47 } from '#packages/captions/language.ts'
import { captionFormats } from '#packages/captions/parse-track.ts'
import type { CaptionTrackInfo, VideoInfo } from '../ytdlp/info.ts'
import { languageOf } from './to-video.ts'

/**
 * The tracks to try, best first: exactly `lang`, then its language, then the video's own, then the rest; among equals
 * captions by a person before automatic ones. Machine translations into the language come after them, where `translate`
 * asks for them. Where `strictLang` makes `lang` a condition, only tracks in its language are left. Without a region in
 * `lang` every region of the language is exact.
 */
export function orderCaptions(info: VideoInfo, { lang, strictLang, translate }: LanguageWish): CaptionTrackInfo[] {
  const wanted = toBcp47(lang ?? undefined)
  const original = originalLanguage(info)
  const rank = (track: CaptionTrackInfo): number => {
    if (track.translated && !translate) return Number.POSITIVE_INFINITY
    const language = languageOf(track.language)
    const match = wanted === null || language === null ? 'none' : matchOf(language, wanted)
    if (match === 'exact') return track.translated ? 2 : 0
    if (match === 'language') return track.translated ? 3 : 1
    if (track.translated || (strictLang && wanted !== null)) return Number.POSITIVE_INFINITY
    return language !== null && original !== null && sameLanguage(language, original) ? 4 : 5
  }
  return info.captions
    .map((track) => ({ track, rank: rank(track) }))
    .filter(({ track, rank }) => rank !== Number.POSITIVE_INFINITY && captionFormats.includes(track.ext))
    .toSorted((a, b) => a.rank - b.rank || compareMakers(a.track, b.track) || compareFormats(a.track, b.track))
    .map(({ track }) => track)
}

function matchOf(language: string, wanted: string): 'exact' | 'language' | 'none' {
  if (language === wanted || primaryLanguage(language) === wanted) return 'exact'
  return sameLanguage(language, wanted) ? 'language' : 'none'
}

/** The spoken language: as the platform says, else that of the track of recognised speech. */
function originalLanguage({ language, captions }: VideoInfo): string | null {
  const heard = captions.find((track) => track.automatic && track.language.endsWith('-orig'))
  return toBcp47(language ?? undefined) ?? (heard ? languageOf(heard.language) : null)
}

const compareMakers = (a: CaptionTrackInfo, b: CaptionTrackInfo): number => Number(a.automatic) - Number(b.automatic)

const compareFormats = (a: CaptionTrackInfo, b: CaptionTrackInfo): number =>
  captionFormats.indexOf(a.ext) - captionFormats.indexOf(b.ext)
