import { expect } from 'chai'
import { type BodyForm, type ParsedBody, parseBody } from './parse-body.ts'

const VIDEO = 'https://cdn.example.com/film.mp4'
const answerTo = (form: BodyForm, text: string | Uint8Array, mostRequests = 10) => {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return parseBody({ bytes, form, mostRequests })
}
const parsed = (form: BodyForm, text: string): ParsedBody => {
  const answer = answerTo(form, text)
  if ('problem' in answer) throw new Error(answer.problem.message)
  return answer
}

describe('the body of a request for a batch', () => {
  it('may be JSON; its line numbers are those of the requests', () => {
    const body = { operation: 'transcript', requests: [VIDEO, { url: VIDEO }, 'x'] }
    expect(parsed('json', JSON.stringify(body))).to.deep.equal({
      shared: { operation: 'transcript' },
      given: 3,
      videos: [
        { url: VIDEO, line: 1 },
        { url: VIDEO, line: 2 },
      ],
      problems: [{ path: 'requests.2.url', line: 3, message: 'must be a full http(s) URL' }],
    })
    expect(parsed('json', '{"source":{}}')).to.deep.include({ shared: { source: {} }, given: null })
    expect(parsed('json', '7')).to.deep.include({ shared: 7, given: null })
  })

  it('may be NDJSON with Windows line ends and empty lines, which count as lines', () => {
    const { shared, videos, problems } = parsed('ndjson', `{"operation":"transcript"}\r\n\r\n"${VIDEO}"\r\n{\r\n`)
    expect(shared).to.deep.equal({ operation: 'transcript' })
    expect(videos).to.deep.equal([{ url: VIDEO, line: 3 }])
    expect(problems).to.deep.equal([{ path: 'requests.1', line: 4, message: 'must be JSON' }])
  })

  it('may be a table as spreadsheets save it: with a byte order mark, quotes, and other columns', () => {
    const { videos, problems } = parsed('csv', `\ufeffTitle,URL\r\n"A, ""b""",${VIDEO}\r\n\r\nshort\r\n`)
    expect(videos).to.deep.equal([{ url: VIDEO, line: 2 }])
    expect(problems).to.deep.equal([{ path: 'requests.1', line: 4, message: 'must be a URL, or an object with one' }])
  })

  it('may be pasted lines', () => {
    expect(parsed('lines', `\n  ${VIDEO} \n`)).to.deep.include({ given: 1, videos: [{ url: VIDEO, line: 2 }] })
  })

  const unreadable: [BodyForm, string | Uint8Array, string, boolean][] = [
    ['json', '{', 'body', false],
    ['json', '{"requests":{}}', 'requests', false],
    ['json', new Uint8Array([0xff]), 'body', false],
    ['json', JSON.stringify({ options: { prompt: 'a'.repeat(70_000) } }), 'body', true],
    ['ndjson', '', 'body', false],
    ['ndjson', '{', 'line 1', false],
    ['csv', 'name\na', 'body', false],
    ['csv', `url\n"${VIDEO}`, 'line 2', false],
  ]
  for (const [form, text, path, isLarge] of unreadable)
    it(`is refused as a whole if ${form} is ${String(text).slice(0, 20)}`, () => {
      const answer = answerTo(form, text)
      expect('problem' in answer && { path: answer.problem.path, isLarge: answer.isLarge }).to.deep.equal({
        path,
        isLarge,
      })
    })

  it('is only counted if it has too many requests', () => {
    const answer = answerTo('json', JSON.stringify({ requests: [VIDEO, VIDEO, VIDEO] }), 2)
    expect(answer).to.deep.equal({ shared: {}, given: 3, videos: [], problems: [] })
  })
})
