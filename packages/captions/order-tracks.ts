import { primaryLanguage, toBcp47 } from './language.ts'

export type Track = { language: string | null; default: boolean; forced: boolean }

/**
 * Orders caption tracks, best first: exactly `lang`, then its language, then the default one, then in the given order.
 * Tracks with only the foreign parts of a film come last.
 */
export function orderTracks<T extends Track>(tracks: readonly T[], lang: string | null): T[] {
  const wanted = toBcp47(lang ?? undefined)
  const rank = ({ language, default: isDefault, forced }: T): number => {
    if (wanted && language === wanted) return 0
    if (wanted && language && primaryLanguage(language) === primaryLanguage(wanted)) return 1
    if (forced) return 4
    return isDefault ? 2 : 3
  }
  return tracks.toSorted((a, b) => rank(a) - rank(b))
}
