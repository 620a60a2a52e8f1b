import { expect } from 'chai'
import { tidySegments } from '../tidy-segments.ts'
import { readAnswer } from './read-answer.ts'

type Times = { start?: unknown; end?: unknown }

const spoken = ['Good', 'morning', 'Vietnam']

/** An answer that has one word after the other, at these times. */
const answerOf = (...times: Times[]) => ({
  text: spoken.slice(0, times.length).join(' '),
  segments: times.map((each, i) => ({ ...each, text: ` ${spoken[i]}` })),
})

const SECONDS = 9
const right = [
  { start: 0, end: 2.5, text: 'Good' },
  { start: 2.5, end: 4, text: 'morning' },
  { start: 4, end: 9, text: 'Vietnam' },
]
const rightTimes: Times[] = right.map(({ start, end }) => ({ start, end }))

const read = (body: unknown) => tidySegments(readAnswer(body, SECONDS).segments ?? [], SECONDS)

describe('the answer of a speech endpoint', () => {
  it('is read in seconds, milliseconds, microseconds and nanoseconds, as numbers and as text', () => {
    for (const unit of [1, 1e3, 1e6, 1e9]) {
      const scaled = right.map(({ start, end }) => ({ start: start * unit, end: end * unit }))
      expect(read(answerOf(...scaled)), `${unit} in a second`).to.deep.equal(right)
      const written = scaled.map(({ start, end }) => ({ start: String(start), end: `${end}` }))
      expect(read(answerOf(...written)), `${unit} in a second, as text`).to.deep.equal(right)
    }
  })

  it('has its words in the same unit', () => {
    const words = right.map(({ start, end, text }) => ({ start: start * 1e9, end: end * 1e9, word: text }))
    expect(readAnswer({ text: spoken.join(' '), words }, SECONDS).words).to.deep.equal(right)
  })

  it('extends a part without an end, or with one before its start, to the next one', () => {
    for (const end of [null, undefined, -1, 0]) {
      const times = [
        { start: 0, end },
        { start: 2.5, end: 4 },
        { start: 4, end },
      ]
      const first = end === 0 ? 0 : 2.5
      expect(read(answerOf(...times)), String(end)).to.deep.equal(right.with(0, { start: 0, end: first, text: 'Good' }))
    }
    const [first, , last] = rightTimes
    expect(read(answerOf(first ?? {}, {}, last ?? {})), 'a part in the middle has no times').to.deep.equal(right)
  })

  it('keeps the whole text even if times lie before the beginning or after the end of the sound', () => {
    const texts = (...times: Times[]) => read(answerOf(...times)).map(({ text }) => text)
    expect(texts({ start: -0.4, end: 2 }, { start: 2, end: 8 }, { start: 9.2, end: 12 })).to.deep.equal(spoken)
    expect(texts({ start: 0, end: 9.5 }, { start: 20, end: 30 })).to.deep.equal(spoken.slice(0, 2))
  })

  it('has no times if it has no parts, or none of them has a time', () => {
    for (const segments of [undefined, null, [], spoken.map((text) => ({ text, start: null }))]) {
      const answer = readAnswer({ text: spoken.join(' '), segments }, SECONDS)
      expect(answer, JSON.stringify(segments)).to.include({ text: spoken.join(' '), segments: undefined })
    }
    expect(readAnswer({ text: '', segments: [] }, SECONDS).segments).to.deep.equal([])
  })

  it('is refused if its times cannot be right, or its parts lack some of its text', () => {
    const [first = {}, second = {}] = rightTimes
    const wrong = {
      'times go back, as where each chunk begins at 0': answerOf(first, { start: 4, end: 9 }, { start: 0, end: 3 }),
      'a start long before the beginning': answerOf({ start: -7, end: 2 }),
      'times that are no such unit': answerOf({ start: 0, end: 4e12 }),
      'a time that is none': answerOf({ start: 'soon', end: 2 }),
      'a part that is lost': { ...answerOf(first, second), text: spoken.join(' ') },
      'a part without a text': { text: 'Good', segments: [{ start: 0, end: 2, text: null }] },
      'a part that is null': { text: 'Good', segments: [null] },
      'no text': { segments: [{ start: 0, end: 2, text: 'Good' }] },
      'a page': '<html><body>502 Bad Gateway</body></html>',
      nothing: undefined,
    }
    for (const [name, body] of Object.entries(wrong)) expect(() => readAnswer(body, SECONDS), name).to.throw(TypeError)
  })

  it('is read without its words if some are missing, and its reader is informed', () => {
    const [one, two] = [{ start: 0, end: 1, word: 'Good' }, { word: 'morning' }]
    const wordsIn = (words: unknown) => readAnswer({ text: 'Good morning', words }, SECONDS).words
    expect(wordsIn([one])).to.equal(undefined)
    expect(wordsIn([])).to.equal(undefined)
    expect(wordsIn([one, { start: 'soon', end: 2, word: 'morning' }])).to.equal(undefined)
    expect(wordsIn([one, two])?.[1], 'a word that could not be aligned').to.deep.equal({
      start: 1,
      end: 9,
      text: 'morning',
    })
  })
})
