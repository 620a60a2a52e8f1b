/** A stretch of a text, by offsets. */
export type Range = [from: number, to: number]

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

const endsMarked = /[\p{Sentence_Terminal}…]["'”’»)\]」』]*$/u

/** Points behind abbreviations, initials and ordinals: the sentence may go on, so it is not cut there. */
const pointOnly =
  /(?:^|[\s("'“‘«[])(?:\p{L}|(?:\p{L}\.)+\p{L}|\d{1,2}|mrs?|ms|dr|prof|rev|hon|gen|col|capt|lt|sgt|sen|rep|gov|pres|st|mt|ft|jr|sr|vs|no|nos|vol|fig|ed|eds|cf|al|approx|dept|est|inc|ltd|corp|co|bros|ave|blvd|rd|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|bzw|ca|usw|evtl|ggf|hr|fr|nr|str|mme|mlle|sra|srta|dra|sig|av|art|pp?)\.$/iu

/** Characters of an end that tell what kind of end it is. */
const TAIL = 40

const goesOn = /^["'“‘«([]*\p{Ll}/u

/**
 * The sentences of a text, without the white space between them. Where it is not sure that one ends, it goes on.
 * `isMarked`: false for a text in which nothing marks the end of any sentence, as in some automatic captions.
 */
export function sentencesIn(text: string): { sentences: Range[]; isMarked: boolean } {
  const sentences: Range[] = []
  let mayEnd = false
  for (const { segment, index } of segmenter.segment(text)) {
    const sentence = segment.trim()
    if (sentence === '') continue
    const to = index + segment.trimEnd().length
    const last = sentences.at(-1)
    if (last === undefined || (mayEnd && !goesOn.test(sentence))) sentences.push([to - sentence.length, to])
    else last[1] = to
    mayEnd = !pointOnly.test(sentence.slice(-TAIL))
  }
  return { sentences, isMarked: sentences.length > 1 || endsMarked.test(text.slice(-TAIL)) }
}
