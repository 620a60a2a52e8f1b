/** A segment that only names a sound: `[Music]`, `[door slams]`, `♪`. */
const soundOnly = /^(?:\[[^\]]*\]|♪|\s)*$/u

/** A named sound inside a sentence, one word only: `[the minister]` is an editor's insertion. */
const soundInside = /\[\p{L}+\]|♪/gu

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
