import { expect } from 'chai'
import { transcriptOf } from '#packages/content/captions/transcript.fixture.ts'
import { marked, patternOf, placeOf, transcriptPage } from './transcript-page.ts'

const segments = Array.from({ length: 1000 }, (_, n) => ({
  start: n * 2,
  end: n * 2 + 2,
  text: `Words of number ${n}.`,
}))
const transcript = transcriptOf(segments)
const place = (query: string) => placeOf(new URLSearchParams(query))
const at = (query: string) => transcriptPage(transcript, place(query))

describe('the pages of a transcript', () => {
  it('hold every segment once, in order', () => {
    const first = at('')
    const all = Array.from({ length: first.pages }, (_, page) => at(`page=${page + 1}`).segments).flat()
    expect(first.pages).to.be.greaterThan(5)
    expect(all.map(({ index }) => index)).to.deep.equal(segments.map((_, index) => index))
  })

  it('are found by an instant, and there is always one', () => {
    expect(at('t=1000').segments.some(({ start }) => start === 1000)).to.equal(true)
    const { pages } = at('')
    for (const [query, page] of [
      ['page=0', 1],
      ['page=-3', 1],
      ['page=99999', pages],
      ['t=99999', pages],
      ['t=abc', 1],
    ] as const)
      expect(at(query).page, query).to.equal(page)
    expect(transcriptPage({ ...transcript, segments: [] }, place('page=2'))).to.include({ page: 1, pages: 1 })
  })

  it('are searched for a literal text, in any case', () => {
    const { segments: found } = at('find=NUMBER 99')
    expect(found.map(({ index }) => index)).to.deep.equal([99, ...range(990, 1000)])
    expect(at('find=NUMBER 99')).to.include({ found: 11, all: 1000 })
    expect(at('find=.*')).to.deep.include({ found: 0, segments: [] })
    expect(marked('a.b A.B ab', patternOf(place('find=a.b')))).to.deep.equal(['', 'a.b', ' ', 'A.B', ' ab'])
    expect(marked('as it is', undefined)).to.deep.equal(['as it is'])
  })
})

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n)
