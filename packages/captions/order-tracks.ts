import { type LanguageWish, sameLanguage, toBcp47 } from './language.ts'

export type Track = { language: string | null; default: boolean; forced: boolean }

/**
 * Orders caption tracks, best first: exactly `lang`, then its language, then the default one, then in the given order.
 * Tracks with only the foreign parts of a film come last. Where `lang` is a condition there are none but in its language.
 */
export function orderTracks<T extends Track>(
  tracks: readonly T[],
  { lang, strictLang }: Pick<LanguageWish, 'lang' | 'strictLang'>,
): T[] {
  const wanted = toBcp47(lang ?? undefined)
  const rank = ({ language, default: isDefault, forced }: T): number => {
    if (wanted && language === wanted) return 0
    if (wanted && language && sameLanguage(language, wanted)) return 1
    if (wanted && strictLang) return Number.POSITIVE_INFINITY
    if (forced) return 4
    return isDefault ? 2 : 3
  }
  return tracks
    .map((track) => ({ track, rank: rank(track) }))
    .filter(({ rank }) => rank !== Number.POSITIVE_INFINITY)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ track }) => track)
}
