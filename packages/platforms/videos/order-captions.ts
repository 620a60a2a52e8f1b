import { type LanguageWish, toBcp47 } from '#packages/content/captions/language.ts'
import { captionFormats } from '#packages/content/captions/parse-track.ts'
import { closeness, OTHER_SCRIPT } from '#packages/content/languages/closeness.ts'
import type { CaptionTrackInfo, VideoInfo } from '../ytdlp/info.ts'
import { describesPicture, languageOf } from './caption-key.ts'

/** Ranks of a track, the most important first. The list with the lower rank at the first difference comes first. */
type Ranks = readonly number[]

/**
 * The tracks to try, best first: those in the language of `lang`, then in the video's own language, then the rest.
 * Within a language, the requested script comes first, then captions by a person before automatic ones. Tracks that
 * describe the picture come last; then the closest tag decides. Machine translations into `lang` come after all other
 * tracks in it, and only if `translate` requests them. If `strictLang` requires `lang`, only tracks in its language
 * are left.
 */
export function orderCaptions(info: VideoInfo, { lang, strictLang, translate }: LanguageWish): CaptionTrackInfo[] {
  const wanted = toBcp47(lang ?? undefined)
  const original = originalLanguage(info)
  const ranksOf = (track: CaptionTrackInfo): Ranks | undefined => {
    if (track.translated && !translate) return undefined
    const language = languageOf(track.language)
    const asked = wanted === null || language === null ? undefined : closeness(language, wanted)
    if (asked === undefined && (track.translated || (strictLang && wanted !== null))) return undefined
    const own = original === null || language === null ? undefined : closeness(language, original)
    const group = asked !== undefined ? (track.translated ? 1 : 0) : own !== undefined ? 2 : 3
    const close = asked ?? own ?? 0
    const maker = describesPicture(track.language) ? 2 : Number(track.automatic)
    return [group, Number(close === OTHER_SCRIPT), maker, close, captionFormats.indexOf(track.ext)]
  }
  return info.captions
    .map((track) => ({ track, ranks: ranksOf(track) }))
    .filter((one): one is { track: CaptionTrackInfo; ranks: Ranks } => one.ranks !== undefined)
    .filter(({ track }) => captionFormats.includes(track.ext))
    .toSorted((a, b) => compare(a.ranks, b.ranks))
    .map(({ track }) => track)
}

/** The spoken language: the platform's statement, else the language of the track of recognised speech. */
function originalLanguage({ language, captions }: VideoInfo): string | null {
  const heard = captions.find((track) => track.automatic && track.language.endsWith('-orig'))
  return toBcp47(language ?? undefined) ?? (heard ? languageOf(heard.language) : null)
}

const compare = (a: Ranks, b: Ranks): number => a.map((rank, at) => rank - (b[at] ?? 0)).find((by) => by !== 0) ?? 0
