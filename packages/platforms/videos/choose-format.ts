import { toBcp47 } from '#packages/content/captions/language.ts'
import { sameLanguage } from '#packages/content/languages/closeness.ts'
import type { FormatInfo } from '../ytdlp/info.ts'
import { describesPicture, languageOf } from './caption-key.ts'

/** The most lines of a picture. A model sees no more in a larger one. */
const MAX_LINES = 480
/** The preference that yt-dlp gives the original sound; dubs have less. */
const ORIGINAL = 10

/**
 * The format to download, or undefined if none is suitable. `audio`: the smallest with sound. If there are dubs, it
 * is the dub in `lang` if requested, else the original. It describes the picture only if there is no other. `video`:
 * the largest picture of at most 480 lines.
 * @param foreignSound the id of a format that is never chosen
 */
export function chooseFormat(
  all: readonly FormatInfo[],
  { want, lang, foreignSound }: { want: 'audio' | 'video'; lang: string | null; foreignSound?: string | undefined },
): FormatInfo | undefined {
  const formats = all.filter(({ formatId, ext }) => ext !== 'mhtml' && formatId !== foreignSound)
  return want === 'audio' ? smallestSound(formats, lang) : fittingPicture(formats)
}

function smallestSound(formats: readonly FormatInfo[], lang: string | null): FormatInfo | undefined {
  const sounding = formats.filter(({ acodec }) => acodec !== 'none')
  const plain = sounding.filter(({ language }) => language === null || !describesPicture(language))
  return spokenIn(plain.length > 0 ? plain : sounding, lang).toSorted(
    (a, b) => kindOf(a) - kindOf(b) || plainFirst(a) - plainFirst(b) || sizeOf(a) - sizeOf(b),
  )[0]
}

/** Among dubs: the formats in the requested language, else the original, else those that yt-dlp prefers most. */
function spokenIn(formats: readonly FormatInfo[], lang: string | null): readonly FormatInfo[] {
  const wanted = toBcp47(lang ?? undefined)
  const asked = wanted === null ? [] : formats.filter(({ language }) => speaks(language, wanted))
  if (asked.length > 0) return asked
  const originals = formats.filter(({ languagePreference }) => (languagePreference ?? 0) >= ORIGINAL)
  if (originals.length > 0) return originals
  const best = formats.reduce(
    (most, { languagePreference }) => Math.max(most, languagePreference ?? -1),
    Number.NEGATIVE_INFINITY,
  )
  return formats.filter(({ languagePreference }) => (languagePreference ?? -1) === best)
}

function speaks(language: string | null, wanted: string): boolean {
  const tag = language === null ? null : languageOf(language)
  return tag !== null && sameLanguage(tag, wanted)
}

/** Sound alone comes before sound with a picture. */
const kindOf = ({ vcodec }: FormatInfo): number => (vcodec === 'none' ? 0 : 1)

/** One file comes before a list of pieces. */
const plainFirst = ({ protocol }: FormatInfo): number => (/^https?$/.test(protocol) ? 0 : 1)

const sizeOf = ({ bytes, bitrate, height }: FormatInfo): number =>
  bytes ?? bitrate ?? (height === null ? Number.MAX_SAFE_INTEGER : height)

function fittingPicture(formats: readonly FormatInfo[]): FormatInfo | undefined {
  const pictures = formats.filter(({ vcodec }) => vcodec !== 'none')
  const fitting = pictures.filter(({ width, height }) => linesOf(width, height) <= MAX_LINES)
  if (fitting.length === 0) return pictures.toSorted((a, b) => (a.height ?? 0) - (b.height ?? 0))[0]
  return fitting.toSorted(
    (a, b) =>
      linesOf(b.width, b.height) - linesOf(a.width, a.height) || plainFirst(a) - plainFirst(b) || sizeOf(a) - sizeOf(b),
  )[0]
}

/** The lines of a picture: its height, or its width if it is upright. */
const linesOf = (width: number | null, height: number | null): number =>
  Math.min(width ?? Number.MAX_SAFE_INTEGER, height ?? Number.MAX_SAFE_INTEGER)
