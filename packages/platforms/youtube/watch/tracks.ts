import type { Shape } from '../../reading/shape.ts'

/**
 * A caption track under yt-dlp's name, with the signed address of its text, or of the text that it is translated
 * from.
 */
export type SignedTrack = { language: string; automatic: boolean; translated: boolean; signed: string }

const PAGE = 'https://www.youtube.com'

/**
 * The caption tracks of a player's answer, then machine translations of those that can be translated. Tracks are
 * named as yt-dlp names them, so that both ways have one order: `en-orig` and `en` for recognised speech.
 * @throws ShapeError
 */
export function tracksOf(player: Shape): SignedTrack[] {
  const path = ['captions', 'playerCaptionsTracklistRenderer']
  const tracks = player.optional('list', ...path, 'captionTracks') ?? []
  // the list of languages is required: without it, the possible translations are unknown
  const languages = tracks.some(isTranslatable) ? player.required('list', ...path, 'translationLanguages') : []
  const codes = languages.map((language) => language.required('string', 'languageCode'))
  // if both can be translated, yt-dlp takes the recognised speech
  const heardFirst = tracks.toSorted((a, b) => Number(isHeard(b)) - Number(isHeard(a)))
  return [...tracks.flatMap(asSpoken), ...heardFirst.flatMap((track) => translationsOf(track, codes))]
}

const isHeard = (track: Shape): boolean => track.optional('string', 'kind') === 'asr'

const isTranslatable = (track: Shape): boolean => track.optional('boolean', 'isTranslatable') === true

function asSpoken(track: Shape): SignedTrack[] {
  const signed = track.required('string', 'baseUrl')
  const spoken = track.required('string', 'languageCode')
  const automatic = isHeard(track)
  const names = automatic ? [`${spoken}-orig`, spoken] : [nameOf(track) || spoken]
  return names.map((language) => ({ language, automatic, translated: false, signed }))
}

function translationsOf(track: Shape, codes: readonly string[]): SignedTrack[] {
  if (!isTranslatable(track)) return []
  const signed = track.required('string', 'baseUrl')
  const spoken = track.required('string', 'languageCode')
  return codes
    .filter((code) => code !== spoken)
    .map((language) => ({ language, automatic: true, translated: true, signed }))
}

/** `.en.nP7-2PuUl7o` is the English track of that name. */
const nameOf = (track: Shape): string =>
  (track.optional('string', 'vssId') ?? '').replace(/^\./, '').replaceAll('.', '-')

/** The address of a track's text as json3. */
export function addressOf({ signed, translated, language }: SignedTrack): string {
  const url = new URL(signed, PAGE)
  url.searchParams.set('fmt', 'json3')
  if (translated) url.searchParams.set('tlang', language)
  return url.href
}
