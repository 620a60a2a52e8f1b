import { expect } from 'chai'
import fc from 'fast-check'
import { piecesOf } from './pieces.ts'
import { type HeardSegment, readHeard } from './read-heard.ts'

describe('the pieces that Whisper transcribes', () => {
  it('are one for a short sound, and as long as the number of workers allows for a long one', () => {
    expect(piecesOf(30, [{ start: 0.2, end: 29 }], 2)).to.deep.equal([{ start: 0, end: 30 }])
    const regions = Array.from({ length: 40 }, (_, i) => ({ start: i * 15, end: i * 15 + 14 }))
    const lengths = (workers: number) => piecesOf(600, regions, workers).map(({ start, end }) => end - start)
    expect(lengths(2)).to.have.length(2)
    expect(lengths(1)).to.have.length(2)
    expect(Math.max(...lengths(1))).to.be.at.most(330)
    expect(lengths(10)).to.have.length(10)
    expect(Math.max(...lengths(100))).to.be.at.most(45)
  })

  it('are cut in pauses, leave long silence out, and are never shorter than half a second', () => {
    const regions = [
      { start: 5, end: 40 },
      { start: 43, end: 80 },
      { start: 100, end: 100.1 },
    ]
    expect(piecesOf(100.2, regions, 2)).to.deep.equal([
      { start: 4, end: 41.5 },
      { start: 41.5, end: 81 },
      { start: 99, end: 100.2 },
    ])
    expect(piecesOf(0.3, [{ start: 0, end: 0.3 }], 2)).to.deep.equal([])
  })

  it('hold all regions, in order, without overlap', () => {
    const pair = fc.tuple(fc.double({ min: 0, max: 60, noNaN: true }), fc.double({ min: 0.5, max: 30, noNaN: true }))
    fc.assert(
      fc.property(
        fc.array(pair, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 2, max: 16 }),
        (lengths, workers) => {
          let at = 0
          const regions = lengths.map(([pause, length]) => {
            const start = at + pause
            at = start + length
            return { start, end: at }
          })
          const pieces = piecesOf(at + 1, regions, workers)
          for (const [i, { start, end }] of pieces.entries()) {
            expect(end).to.be.above(start)
            if (i > 0) expect(start).to.be.at.least(pieces[i - 1]?.end ?? 0)
          }
          const within = (second: number) => pieces.some(({ start, end }) => start <= second && second <= end)
          for (const { start, end } of regions) expect([start, (start + end) / 2, end].every(within)).to.equal(true)
        },
      ),
    )
  })
})

describe("Whisper's result", () => {
  const piece = { start: 10, end: 40 }
  const said = (words: HeardSegment['words'], more: Partial<HeardSegment> = {}): HeardSegment => ({
    text: words.map(([, , text]) => text).join(''),
    logprob: -0.2,
    noSpeech: 0.01,
    compression: 1.2,
    words,
    ...more,
  })
  const readWith = (heeded: number, ...segments: HeardSegment[]) =>
    readHeard({ heard: null, segments, seconds: 1, heeded }, piece, [{ start: 11, end: 20 }])
  const read = (...segments: HeardSegment[]) => readWith(0, ...segments).map(({ segment }) => segment)

  it('begins and ends with its words, inside its piece', () => {
    const words: HeardSegment['words'] = [
      [9.9, 11.5, ' Good', 0.9],
      [11.5, 12.25, ' evening.', 0.8],
    ]
    expect(read(said(words))).to.deep.equal([{ start: 10, end: 12.25, text: 'Good evening.' }])
  })

  it('loses text that the vocabulary has put into it', () => {
    const words: HeardSegment['words'] = [
      [12, 12.5, ' Atlas.', 0.01],
      [12.5, 13, ' Good', 0.9],
      [13, 14, ' evening.', 0.8],
    ]
    const textsOf = (...read: ReturnType<typeof readWith>) => read.map(({ segment }) => segment.text)
    expect(textsOf(...readWith(5, said(words)))).to.deep.equal(['Good evening.'])
    expect(textsOf(...readWith(0, said(words))), 'without a vocabulary').to.deep.equal(['Atlas. Good evening.'])
    const term: HeardSegment['words'] = [[12, 13, ' Vagrant,', 0.7]]
    for (const signs of [{ logprob: -0.55, noSpeech: 0.59 }, { logprob: -1.03 }]) {
      expect(readWith(5, said(term, signs))).to.deep.equal([])
      expect(readWith(0, said(term, signs)), 'without a vocabulary').to.have.length(1)
    }
    expect(readWith(5, said(term, { noSpeech: 0.59 })), 'a name that is said').to.have.length(1)
  })

  it('is dropped if it is made up, repeats itself, is not text, or lies where there is no speech', () => {
    const word = (confidence: number, at = 12): HeardSegment['words'] => [[at, at + 1, ' You', confidence]]
    expect(read(said(word(0.9)))).to.have.length(1)
    expect(read(said(word(0.12), { noSpeech: 0.5 }))).to.deep.equal([])
    expect(read(said(word(0.9), { noSpeech: 0.93, logprob: -0.76 }))).to.deep.equal([])
    expect(read(said(word(0.9), { compression: 2.5 }))).to.deep.equal([])
    expect(read(said([[12, 13, ' .', 0.9]]))).to.deep.equal([])
    expect(read(said(word(0.9, 30)))).to.deep.equal([])
  })
})
