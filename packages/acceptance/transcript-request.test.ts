import { expect } from 'chai'
import { noOptions } from '#packages/domain/job/events.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import { canonicalJson, requestHashOf } from './job-request.ts'
import { transcriptRequestOf } from './transcript-request.ts'

const url = 'http://cdn.example.com/film.mp4'

function refusalOf(body: unknown): ServiceError {
  try {
    transcriptRequestOf(body)
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error(`${JSON.stringify(body)} was accepted`)
}

const pathsOf = ({ details }: ServiceError): string[] => (details as { path: string }[]).map(({ path }) => path)

describe('the request of a transcript', () => {
  it('is filled in with defaults, its URL in the canonical spelling and its query as it was', () => {
    const given = { url: `${url}?token=a%2Fb&expires=1#t=1` }
    const rest = { kind: 'transcript', mode: 'auto', lang: null, prompt: null, schema: null, options: noOptions }
    expect(transcriptRequestOf(given)).to.deep.equal({ ...rest, url: `${url}?token=a%2Fb&expires=1` })
    expect(transcriptRequestOf({ url, mode: 'native', lang: 'ZH-hant-tw' }).lang).to.equal('zh-Hant-TW')
  })

  it('is refused with the name of the wrong field', () => {
    const table: [unknown, string][] = [
      [{}, 'url'],
      [[], 'body'],
      [null, 'body'],
      ...[null, 7, '', ' ', {}, [], 'not a url', 'ftp://cdn.example.com/a.mp4', 'file:///etc/passwd'].map(bad),
      ...['javascript:alert(1)', '//cdn.example.com/a.mp4', 'http://', 'http://user:pw@cdn.example.com/a.mp4'].map(bad),
      ...['http://127.0.0.1/a', 'http://[::ffff:10.0.0.1]/a', 'http://0x7f.1/a', 'http://localhost/a'].map(bad),
      ...['http://cdn.example.com:22/a.mp4', `${url}?${'a'.repeat(2048)}`, 'https://www.youtube.com/watch?v=short'].map(
        bad,
      ),
      ...['fast', '', 1, null, ['auto']].map((mode): [unknown, string] => [{ url, mode }, 'mode']),
      ...[5, {}, 'x'.repeat(200), 'en; DROP', 'en_US', 'a-', `en-${'x'.repeat(9)}`, 'en-a'].map(
        (lang): [unknown, string] => [{ url, lang }, 'lang'],
      ),
      [{ url, modee: 'auto' }, 'modee'],
      [JSON.parse(`{"url":"${url}","__proto__":{"mode":"auto"}}`), '__proto__'],
    ]
    for (const [body, field] of table) {
      const error = refusalOf(body)
      expect([error.code, pathsOf(error)], JSON.stringify(body)?.slice(0, 80)).to.deep.equal([
        'invalid_request',
        [field],
      ])
    }
  })

  function bad(value: unknown): [unknown, string] {
    return [{ url: value }, 'url']
  }

  it('is refused with all its errors, up to a limit', () => {
    expect(pathsOf(refusalOf({ mode: 'x', lang: 5 })).sort()).to.deep.equal(['lang', 'mode', 'url'])
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`field${n}`, n]))
    expect(pathsOf(refusalOf({ url, ...many }))).to.have.length(20)
  })

  it("has a platform's video under its canonical URL, and a short link unchanged", () => {
    const urlOf = (url: string) => transcriptRequestOf({ url }).url
    expect(urlOf('youtu.be/dQw4w9WgXcQ?t=42')).to.equal('https://www.youtube.com/watch?v=dQw4w9WgXcQ')
    expect(urlOf('https://vm.tiktok.com/ZM123/?k=1')).to.equal('https://vm.tiktok.com/ZM123/')
  })

  it('has a hash that does not depend on the order of fields, but on every value', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).to.equal('{"a":true,"b":[1,{"c":"x","d":null}]}')
    const request = transcriptRequestOf({ url, mode: 'auto', lang: 'en' })
    const hash = requestHashOf(request)
    expect(requestHashOf(transcriptRequestOf({ lang: 'EN', url }))).to.equal(hash)
    expect(requestHashOf({ ...request, lang: 'fr' })).to.not.equal(hash)
    expect(requestHashOf({ ...request, mode: 'native' })).to.not.equal(hash)
  })
})
