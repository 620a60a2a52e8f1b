import { expect } from 'chai'
import fc from 'fast-check'
import type { Stretch } from './engine.ts'
import { measuredSpeed } from './measured-speed.ts'
import { cutAtPauses, joinNeighbours } from './stretches.ts'
import { tidySegments } from './tidy-segments.ts'
import { wordErrorRate } from './word-error-rate.ts'

const regionsOf = (lengths: [number, number][]): Stretch[] => {
  let end = 0
  return lengths.map(([pause, length]) => {
    const start = end + pause
    end = start + length
    return { start, end }
  })
}

describe('stretches of speech', () => {
  it('cuts in the longest pause near the limit', () => {
    const regions = regionsOf([
      [0, 40],
      [5, 35],
      [0.5, 5],
      [2, 5],
      [0.3, 40],
    ])
    expect(cutAtPauses(132.8, regions, 100)).to.deep.equal([
      { start: 0, end: 86.5 },
      { start: 86.5, end: 132.8 },
    ])
  })

  it('cuts where regions meet if there is no pause, and at the limit if a region never ends', () => {
    expect(
      cutAtPauses(
        150,
        [
          { start: 0, end: 90 },
          { start: 90, end: 150 },
        ],
        100,
      )[0],
    ).to.deep.equal({ start: 0, end: 90 })
    expect(cutAtPauses(150, [{ start: 0, end: 150 }], 100)[0]).to.deep.equal({ start: 0, end: 100 })
  })

  it('has short pieces up to the first with speech, and long ones after it', () => {
    const regions = regionsOf([
      [130, 40],
      [1, 200],
    ])
    const ends = cutAtPauses(371, regions, 100, 60).map(({ end }) => end)
    expect(ends).to.deep.equal([52.5, 105, 165, 265, 365, 371])
  })

  it('covers all of the audio with pieces within the limit', () => {
    const pair = fc.tuple(fc.double({ min: 0, max: 60, noNaN: true }), fc.double({ min: 0.1, max: 30, noNaN: true }))
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 60 }), fc.integer({ min: 10, max: 200 }), (lengths, limit) => {
        const regions = regionsOf(lengths)
        const seconds = (regions.at(-1)?.end ?? 0) + 1
        const pieces = cutAtPauses(seconds, regions, limit)
        expect(pieces[0]?.start).to.equal(0)
        expect(pieces.at(-1)?.end).to.equal(seconds)
        for (const [i, { start, end }] of pieces.entries()) {
          expect(end - start)
            .to.be.at.most(limit + 1e-6)
            .and.greaterThan(0)
          if (i > 0) expect(start).to.equal(pieces[i - 1]?.end)
        }
      }),
    )
  })

  it('joins neighbours only across short pauses and within the limit', () => {
    const regions = regionsOf([
      [1, 10],
      [0.5, 10],
      [0.5, 15],
      [3, 2],
    ])
    expect(joinNeighbours(regions, { maxSeconds: 30, maxGapSeconds: 1 })).to.deep.equal([
      { start: 1, end: 21.5 },
      { start: 22, end: 37 },
      { start: 40, end: 42 },
    ])
  })
})

describe('segments', () => {
  it('end before the next begins and inside the audio; empty ones are dropped, but no text', () => {
    const given = [
      { start: 4, end: 99, text: ' b ' },
      { start: -0.1, end: 5, text: 'a' },
      { start: 6, end: 7, text: '  ' },
      { start: 11, end: 12, text: 'beyond' },
    ]
    expect(tidySegments(given, 10)).to.deep.equal([
      { start: 0, end: 4, text: 'a' },
      { start: 4, end: 10, text: 'b' },
      { start: 10, end: 10, text: 'beyond' },
    ])
  })
})

describe('the measured speed', () => {
  it('follows the time that long files take, and ignores the overhead of short ones', () => {
    const speed = measuredSpeed({ secondsPerAudioSecond: 0.1, overheadSeconds: 3 })
    speed.record(5, 5)
    expect(speed.secondsPerAudioSecond).to.equal(0.1)
    for (let i = 0; i < 40; i++) speed.record(100, 33)
    expect(speed.secondsPerAudioSecond).to.be.closeTo(0.3, 0.01)
  })
})

describe('the word error rate', () => {
  it('counts substitutions, insertions and deletions against the reference', () => {
    expect(wordErrorRate('He was not an ill man.', 'he was not an ill man')).to.equal(0)
    expect(wordErrorRate('a b c d', 'a x c d e')).to.equal(0.5)
    expect(wordErrorRate('a b c d', '')).to.equal(1)
  })
})
