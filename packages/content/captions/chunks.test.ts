import { expect } from 'chai'
import type { TranscriptResult } from '#contracts/generated/http.ts'
import { Random } from '#test/doubles/random.ts'
import { chunksOf } from './chunks.ts'
import { sentencesIn } from './sentences.ts'
import { transcriptOf } from './transcript.fixture.ts'

type Segments = TranscriptResult['segments']

/** The text in segments of `wordsEach` words, one second for each word. */
function segmentsOf(text: string, wordsEach: () => number): Segments {
  const words = text.split(' ')
  const segments: Segments = []
  for (let at = 0; at < words.length; ) {
    const own = words.slice(at, at + wordsEach())
    segments.push({ start: at, end: at + own.length, text: own.join(' ') })
    at += own.length
  }
  return segments
}

const textsOf = (sentences: string[]) =>
  sentencesIn(sentences.join(' ')).sentences.map(([from, to]) => sentences.join(' ').slice(from, to))

describe('chunks of a transcript', () => {
  it('are whole sentences, as many as fit; together they are the text, and their times follow one another', () => {
    const random = new Random('chunks')
    const word = (): string => random.pick(['one', 'three', 'seventeen', 'Washington', '3.5', 'über'])
    for (let run = 0; run < 60; run++) {
      const size = random.between(200, 600)
      const sentences = Array.from({ length: random.between(2, 40) }, () => {
        const words = Array.from({ length: random.between(1, random.chance(0.1) ? 200 : 25) }, word)
        return `So ${words.join(' ')} was it${random.pick(['.', '!', '?', '."'])}`
      })
      const segments = segmentsOf(sentences.join(' '), () => random.between(1, 30))
      const chunks = chunksOf(transcriptOf(segments), size, [])
      expect(chunks.map(({ text }) => text).join(' ')).to.equal(sentences.join(' '))
      const ends = new Set(sentences.map((_, n) => sentences.slice(0, n + 1).join(' ').length))
      let length = -1
      for (const [n, { text, start, end }] of chunks.entries()) {
        length += text.length + 1
        expect(ends.has(length), `a chunk ends with a sentence: …${text.slice(-40)}`).to.equal(true)
        if (text.length > size) expect(sentences, 'only a longer sentence exceeds the size').to.include(text)
        const next = chunks[n + 1]
        const following = next === undefined ? undefined : sentences.find((one) => next.text.startsWith(one))
        if (following !== undefined) expect(text.length + 1 + following.length).to.be.greaterThan(size)
        expect(end).to.be.greaterThan(start)
        if (next !== undefined) expect(next.start).to.be.within(end - 0.001, end + 1)
      }
      expect([chunks[0]?.start, chunks.at(-1)?.end]).to.deep.equal([0, segments.at(-1)?.end])
    }
  })

  it('do not end after abbreviations, initials, ordinals, or before lower case', () => {
    const whole = [
      'Mr. Smith met Dr. J. R. Brown in the U.S. Senate.',
      'Am 3. Oktober kam er.',
      '"Why?" he asked, e.g. me.',
      'It costs 3.5 million.',
      'Gut.',
    ]
    expect(textsOf(whole)).to.deep.equal(whole)
    expect(sentencesIn('今日は。元気ですか？はい。').sentences).to.have.length(3)
  })

  it('of text without punctuation are whole segments, without named sounds', () => {
    const segments = Array.from({ length: 40 }, (_, n) => ({
      start: n * 2,
      end: n * 2 + 2,
      text: n % 4 === 3 ? '[Music]' : `line ${n} of what is said without any mark`,
    }))
    const chunks = chunksOf(transcriptOf(segments, 'automatic_captions'), 200, [])
    expect(chunks.length).to.be.greaterThan(5)
    for (const { text, start, end } of chunks) {
      expect(text.length).to.be.at.most(200)
      expect(text).to.match(/^line .* mark$/)
      expect([start % 2, end % 2]).to.deep.equal([0, 0])
    }
  })

  it('have the times of the spoken words', () => {
    const words = ['One', 'two.', ...Array.from({ length: 60 }, () => 'Three'), 'four.'].map((text, n) => {
      return { text, start: n === 0 ? 3 : 10 + n, end: n === 0 ? 3.5 : 10.5 + n }
    })
    const text = words.map((one) => one.text).join(' ')
    const chunks = chunksOf(transcriptOf([{ start: 0, end: 100, text }], 'speech'), 200, words)
    expect(chunks.map(({ start, end }) => [start, end])).to.deep.equal([
      [3, 11.5],
      [12, 72.5],
    ])
  })
})
