/** A sound that is named instead of spoken, alone in its segment: `[Music]`, `[door slams]`, `♪`. */
const soundOnly = /^(?:\[[^\]]*\]|♪|\s)*$/u

/** The same inside a sentence, one word only: `[the minister]` is an editor's word, not a sound. */
const soundInside = /\[\p{L}+\]|♪/gu

/** Single spaces stay as they are: nearly all of a long text's are. */
const moreThanOneSpace = /[^\S ]\s*| \s+/g

/**
 * A transcript as one string: the segments joined by a space, without what is not spoken (`[Music]`). The segments
 * themselves keep it (specification: Transcript result).
 */
export function transcriptText(segments: readonly { text: string }[]): string {
  const spoken = segments.map(({ text }) => (soundOnly.test(text) ? '' : text.replace(soundInside, ' ')))
  return spoken.join(' ').replace(moreThanOneSpace, ' ').trim()
}
