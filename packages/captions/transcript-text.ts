const notes = '♩♪♫♬'

/** A segment that only names sounds: `[Music]`, `[door slams]`, `【音楽】`, `♪`. */
const soundOnly = new RegExp(String.raw`^(?:\[[^\]]*\]|【[^】]*】|［[^］]*］|[${notes}\s])*$`, 'u')

/**
 * A named sound inside a sentence: one word of more than a letter, or notes. `[the minister]` is an editor's insertion,
 * and a bracket right behind a word is part of it: `array[index]`.
 */
const name = String.raw`(?:[\p{L}\p{M}]{2,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[${notes}\s]+)`
const soundInside = new RegExp(
  String.raw`(?<![\p{L}\p{N}\p{M}_)\]])\[${name}\]|【${name}】|［${name}］|[${notes}]`,
  'gu',
)

/** White space to normalize; single spaces, which nearly all are, need no work. */
const moreThanOneSpace = /[^\S ]\s*| \s+/g

/**
 * A transcript as one string: the segments joined by a space, without named sounds (`[Music]`). The segments themselves
 * keep them (specification: Transcript result).
 */
export function transcriptText(segments: readonly { text: string }[]): string {
  const spoken = segments.map(({ text }) => (soundOnly.test(text) ? '' : text.replace(soundInside, ' ')))
  return spoken.join(' ').replace(moreThanOneSpace, ' ').trim()
}
