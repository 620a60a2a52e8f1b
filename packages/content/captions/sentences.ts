/** A range of a text, by offsets. */
export type Range = [from: number, to: number]

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

const endsMarked = /[\p{Sentence_Terminal}…]["'”’»)\]」』]*$/u

/** Points after abbreviations, initials and ordinals. They may not end the sentence, so the text is not cut there. */
const pointOnly =
  /(?:^|[\s("'“‘«[])(?:\p{L}|(?:\p{L}\.)+\p{L}|\d{1,2}|mrs?|ms|dr|prof|rev|hon|gen|col|capt|lt|sgt|sen|rep|gov|pres|st|mt|ft|jr|sr|vs|no|nos|vol|fig|ed|eds|cf|al|approx|dept|est|inc|ltd|corp|co|bros|ave|blvd|rd|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|bzw|ca|usw|evtl|ggf|hr|fr|nr|str|mme|mlle|sra|srta|dra|sig|av|art|pp?)\.$/iu

/** The last characters of a sentence, which show what kind of end it has. */
const TAIL = 40

const goesOn = /^["'“‘«([]*\p{Ll}/u

/**
 * The sentences of a text, without the white space between them. An uncertain end does not end a sentence. `isMarked`:
 * false for a text without any marked sentence ends, such as some automatic captions.
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
