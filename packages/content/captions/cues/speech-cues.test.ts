import { expect } from 'chai'
import fc from 'fast-check'
import { speechCues } from './speech-cues.ts'
import type { TimedWord } from './units.ts'
import { widthOf } from './units.ts'

/** Words spoken one after another, each this many seconds after the previous one. */
const spoken = (texts: readonly string[], seconds = 0.4, pause = 0): TimedWord[] =>
  texts.map((text, i) => ({ text, start: i * (seconds + pause), end: i * (seconds + pause) + seconds }))

const segmentOf = (words: readonly TimedWord[], separator = ' ') => ({
  start: words[0]?.start ?? 0,
  end: words.at(-1)?.end ?? 0,
  text: words.map(({ text }) => text).join(separator),
})

const cuesOf = (text: string, seconds?: number, pause?: number) => {
  const words = spoken(text.split(' '), seconds, pause)
  return speechCues([segmentOf(words)], words)
}

const bare = (text: string): string => text.replaceAll(/\s/g, '')

const english = fc.constantFrom(
  'a',
  'the',
  'people,',
  'noisy',
  'authorities.',
  'Mr.',
  'Yes!',
  '—',
  '"insisted',
  'it?"',
  'x',
)
const japanese = fc.constantFrom('昨日', 'は', '東京、', 'に', '「行きました」', 'です。', 'テレビ')
const odd = fc.constantFrom('x'.repeat(100), 'https://example.com/a/very/long/address/of/something', '😀😀', '３．５')
const timing = fc.record({ pause: fc.constantFrom(0, 0, 0.02, 0.5, 3), seconds: fc.constantFrom(0.05, 0.3, 0.9, 9) })

/** Segments of up to 40 words, some of them without times from the engine. */
const speech = fc
  .record({
    separator: fc.constantFrom('', ' '),
    said: fc.array(
      fc.array(
        fc.tuple(
          fc.oneof({ weight: 6, arbitrary: english }, { weight: 4, arbitrary: japanese }, odd),
          timing,
          fc.nat(9),
        ),
        {
          minLength: 1,
          maxLength: 40,
        },
      ),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ separator, said }) => {
    let now = 0
    const timed = said.map((words) =>
      words.map(([text, { pause, seconds }, chance]) => {
        const start = now + pause
        now = start + seconds
        return { word: { text, start, end: now }, isKnown: chance > 0 }
      }),
    )
    return {
      segments: timed.map((words) =>
        segmentOf(
          words.map(({ word }) => word),
          separator,
        ),
      ),
      words: timed.flat().flatMap(({ word, isKnown }) => (isKnown ? word : [])),
      seconds: now,
    }
  })

describe('the cues of speech', () => {
  it('have at most two lines of 42 columns and 7 s, never overlap, end with the sound, and contain all text', () => {
    fc.assert(
      fc.property(speech, fc.boolean(), ({ segments, words, seconds }, areTimed) => {
        const cues = speechCues(segments, areTimed ? words : [])
        expect(bare(cues.map(({ text }) => text).join(''))).to.equal(bare(segments.map(({ text }) => text).join('')))
        let over = 0
        for (const { start, end, text } of cues) {
          expect(start, text).to.be.at.least(over)
          expect(end, text).to.be.above(start)
          expect(end - start, text).to.be.at.most(7.000001)
          const lines = text.split('\n')
          expect(lines, text).to.have.length.within(1, 2)
          for (const line of lines) expect(widthOf(line), line).to.be.within(1, 42)
          over = end
        }
        // each cue lasts at least a millisecond, so words without times may crowd past the end
        expect(over).to.be.at.most(seconds + cues.length / 1000)
      }),
      { numRuns: 300 },
    )
  })

  it('end with sentences if these fit, whatever segments the engine made', () => {
    const words = spoken(
      'Everybody knows this old man. He came in late, and nobody had seen Mr. Guess before that. Then he left.'.split(
        ' ',
      ),
    )
    const [first, second] = [segmentOf(words.slice(0, 8)), segmentOf(words.slice(8))]
    const cues = speechCues([first, second], words)
    expect(cues.map(({ text }) => text)).to.deep.equal([
      'Everybody knows this old man.',
      'He came in late, and nobody had seen\nMr. Guess before that. Then he left.',
    ])
    expect(cues.map(({ start }) => start)).to.deep.equal([0, 2])
  })

  it('are divided at a comma or a pause if a sentence is too long, else in the middle', () => {
    const many = (count: number): string => Array.from({ length: count }, () => 'word').join(' ')
    const byComma = cuesOf(`${many(9)}, ${many(12)}`, 0.4)
    expect(byComma.map(({ text }) => text.split(/\s/).length)).to.deep.equal([9, 12])
    const plain = cuesOf(many(20), 0.4)
    expect(plain.map(({ text }) => text.split(/\s/).length)).to.deep.equal([10, 10])
  })

  it('start again after a long pause, so that no text appears before it is spoken', () => {
    const cues = cuesOf('so it goes', 0.3, 2)
    expect(cues).to.deep.equal([
      { start: 0, end: 0.3, text: 'so' },
      { start: 2.3, end: 2.6, text: 'it' },
      { start: 4.6, end: 4.9, text: 'goes' },
    ])
  })

  it('have no spaces if the text has none, and break between words there too', () => {
    const words = spoken(
      ['昨日', 'は', '東京', 'に', '行き', 'ました', '。', 'とても', '楽しかった', 'です', '。'],
      0.5,
    )
    expect(speechCues([segmentOf(words, '')], words)).to.deep.equal([
      { start: 0, end: 5.5, text: '昨日は東京に行きました。\nとても楽しかったです。' },
    ])
  })

  it('follow the segments if no words are known; a long one is divided as if spoken evenly', () => {
    const short = { start: 0, end: 3, text: 'Nice. To meet you.' }
    const long = { start: 3, end: 13, text: 'one two three four five six seven eight nine ten' }
    expect(speechCues([short, long], [])).to.deep.equal([
      short,
      { start: 3, end: 7.792, text: 'one two three four five' },
      { start: 8, end: 13, text: 'six seven eight nine ten' },
    ])
  })

  it('of ten hours are made within seconds', () => {
    const words = spoken(Array.from({ length: 90_000 }, (_, i) => (i % 11 === 10 ? 'end.' : 'word')))
    const began = performance.now()
    expect(speechCues([segmentOf(words)], words)).to.have.length.above(8000)
    expect(performance.now() - began).to.be.below(20_000)
  })
})
