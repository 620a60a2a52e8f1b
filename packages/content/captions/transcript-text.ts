const notes = '♩♪♫♬'

/** A segment that only names sounds: `[Music]`, `[door slams]`, `【音楽】`, `♪`. */
const soundOnly = new RegExp(String.raw`^(?:\[[^\]]*\]|【[^】]*】|［[^］]*］|[${notes}\s])*$`, 'u')

/**
 * A named sound inside a sentence: one word of more than a letter, or notes. `[the minister]` is an editor's
 * insertion, and a bracket directly after a word is part of it: `array[index]`.
 */
const name = String.raw`(?:[\p{L}\p{M}]{2,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[${notes}\s]+)`
const soundInside = new RegExp(
  String.raw`(?<![\p{L}\p{N}\p{M}_)\]])\[${name}\]|【${name}】|［${name}］|[${notes}]`,
  'gu',
)

/** White space to normalize. Single spaces, which nearly all are, need no work. */
const moreThanOneSpace = /[^\S ]\s*| \s+/g

/** The spoken text of each segment, with single spaces and without named sounds. Empty if nothing is spoken. */
export const spokenTexts = (segments: readonly { text: string }[]): string[] =>
  segments.map(({ text }) =>
    soundOnly.test(text) ? '' : text.replace(soundInside, ' ').replace(moreThanOneSpace, ' ').trim(),
  )

/** The spoken texts as one string. The segments keep named sounds (specification: Transcript result). */
export const transcriptText = (segments: readonly { text: string }[]): string =>
  spokenTexts(segments)
    .filter((text) => text !== '')
    .join(' ')
