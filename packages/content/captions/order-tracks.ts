import { closeness, OTHER_SCRIPT } from '#packages/content/languages/closeness.ts'
import { type LanguageWish, toBcp47 } from './language.ts'

export type Track = { language: string | null; default: boolean; forced: boolean }

/** The first rank of tracks in another language: after all of `closeness`. */
const OTHER = OTHER_SCRIPT + 1

/**
 * Orders caption tracks, best first: in the language of `lang`, closest first, then the default one, then in the
 * given order. Tracks with only the foreign parts of a film come last. If `lang` is required, only tracks in its
 * language are left.
 */
export function orderTracks<T extends Track>(
  tracks: readonly T[],
  { lang, strictLang }: Pick<LanguageWish, 'lang' | 'strictLang'>,
): T[] {
  const wanted = toBcp47(lang ?? undefined)
  const rank = ({ language, default: isDefault, forced }: T): number => {
    const match = wanted && language ? closeness(language, wanted) : undefined
    if (match !== undefined) return match
    if (wanted && strictLang) return Number.POSITIVE_INFINITY
    if (forced) return OTHER + 2
    return isDefault ? OTHER : OTHER + 1
  }
  return tracks
    .map((track) => ({ track, rank: rank(track) }))
    .filter(({ rank }) => rank !== Number.POSITIVE_INFINITY)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ track }) => track)
}
