import { expect } from 'chai'
import { noOptions } from '#packages/domain/job/events.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { sha256 } from '#packages/ports/ids.ts'
import { canonicalJson, requestHashOf } from './job-request.ts'
import { transcriptRequestOf as requestOf, type TranscriptParts } from './transcript-request.ts'

const url = 'http://cdn.example.com/film.mp4'

const transcriptRequestOf = (body: unknown, able: TranscriptParts = { tellsSpeakers: false }) => requestOf(body, able)

function refusalOf(body: unknown, able?: TranscriptParts): ServiceError {
  try {
    transcriptRequestOf(body, able)
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error(`${JSON.stringify(body)} was accepted`)
}

const pathsOf = ({ details }: ServiceError): string[] => (details as { path: string }[]).map(({ path }) => path)

describe('the request of a transcript', () => {
  it('is filled in with defaults, its URL in canonical spelling and its query unchanged', () => {
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

  it('takes the name of a language for its tag, and a tag of no known language unchanged', () => {
    const langOf = (lang: string) => transcriptRequestOf({ url, lang }).lang
    expect(['english', 'Deutsch', 'français', '日本語', 'Norwegian Bokmål'].map(langOf)).to.deep.equal([
      'en',
      'de',
      'fr',
      'ja',
      'nb',
    ])
    expect(['xx', 'englsh', 'und'].map(langOf)).to.deep.equal(['xx', 'englsh', 'und'])
  })

  it('is refused with a suggestion for a required language that is unknown, or for neither tag nor name', () => {
    const messageOf = (lang: string, strictLang: boolean) => refusalOf({ url, lang, strictLang }).message
    expect(messageOf('englsh', true)).to.contain('lang must be').and.to.contain('did you mean en?')
    expect(messageOf('xx', true)).to.not.contain('did you mean')
    expect(messageOf('portugese', false)).to.contain('did you mean pt?')
    expect(transcriptRequestOf({ url, lang: 'german', strictLang: true })).to.deep.include({
      lang: 'de',
      options: { ...noOptions, strictLang: true },
    })
  })

  it('may request words, translations and, if the engine names them in mode generate, speakers', () => {
    const asked = { translate: true, words: true, speakers: true }
    const able = { tellsSpeakers: true }
    const { options } = transcriptRequestOf({ url, mode: 'generate', lang: 'de', ...asked }, able)
    expect(options).to.deep.equal({ ...noOptions, ...asked })
    const unable = refusalOf({ url, mode: 'generate', speakers: true })
    expect([pathsOf(unable), unable.message]).to.deep.equal([
      ['speakers'],
      'speakers is not available: the speech engine cannot identify speakers',
    ])
    for (const mode of ['auto', 'native', undefined])
      expect(refusalOf({ url, mode, speakers: true }, able).message).to.contain('needs mode "generate"')
  })

  it('may name a vocabulary of one line and 800 characters, which is part of its hash', () => {
    const vocabularyOf = (vocabulary: string) => transcriptRequestOf({ url, vocabulary }).options.vocabulary
    expect(vocabularyOf(' Marianne, Señora Dashwood ')).to.equal('Marianne, Señora Dashwood')
    expect(vocabularyOf('😀'.repeat(800))).to.have.length(1600)
    expect(vocabularyOf('broken \ud800')).to.equal('broken \ufffd')
    for (const vocabulary of ['', ' ', 'x'.repeat(801), 'a\nb', 'a\u0000', 'a\u009f', 7, null, ['a']])
      expect(pathsOf(refusalOf({ url, vocabulary })), JSON.stringify(vocabulary)).to.deep.equal(['vocabulary'])
    expect(refusalOf({ url, vocabulary: 'secret\nname' }).message)
      .to.contain('vocabulary must be one line of text')
      .and.to.not.contain('secret')
    const hashes = [undefined, 'Marianne', 'Elinor'].map((vocabulary) =>
      requestHashOf(transcriptRequestOf({ url, ...(vocabulary && { vocabulary }) })),
    )
    expect(new Set(hashes)).to.have.property('size', 3)
  })

  it('keeps its former hash if it has none of the newer fields', () => {
    const recorded: [body: object, hash: string][] = [
      [{ url }, '0ebca516050f0c4211cb0dcfcd64cd6fc0cc2a032564f4aa7e250999ba3d7a0d'],
      [{ url, mode: 'native', lang: 'EN-us' }, '683ff9ec2054532d6f5693da799841b734018a1681746f186b42fd70bfe339c6'],
      [
        { url: 'https://youtu.be/dQw4w9WgXcQ', mode: 'generate' },
        'ba69e688b9b545f2404d68cd813c08ec2e87497cf3bc4152f308cedadb952ddc',
      ],
    ]
    for (const [body, hash] of recorded) {
      expect(requestHashOf(transcriptRequestOf(body)), JSON.stringify(body)).to.equal(hash)
      expect(requestHashOf(transcriptRequestOf({ ...body, words: false, strictLang: false }))).to.equal(hash)
      expect(requestHashOf(transcriptRequestOf({ ...body, words: true }))).to.not.equal(hash)
      const strict = requestHashOf(transcriptRequestOf({ ...body, strictLang: true, translate: true }))
      expect(strict === hash, 'without a language they change nothing').to.equal(!('lang' in body))
    }
  })

  it('has a hash that does not depend on the order of fields, but on every value', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).to.equal('{"a":true,"b":[1,{"c":"x","d":null}]}')
    const request = transcriptRequestOf({ url, mode: 'auto', lang: 'en' })
    const hash = requestHashOf(request)
    expect(requestHashOf(transcriptRequestOf({ lang: 'EN', url }))).to.equal(hash)
    expect(requestHashOf({ ...request, lang: 'fr' })).to.not.equal(hash)
    expect(requestHashOf({ ...request, mode: 'native' })).to.not.equal(hash)
  })

  it('has the hash of its canonical JSON, with the requested options', () => {
    const asked = {
      mode: 'auto',
      lang: 'en',
      prompt: 'Who "speaks"?',
      schema: { type: 'object', 10: 1, 9: { b: 2, a: 1 } },
    } as const
    const request = { kind: 'extraction', url, ...asked } as const
    expect(requestHashOf({ ...request, options: noOptions })).to.equal(sha256(canonicalJson(request)))
    const options = { ...noOptions, words: true, failFast: true }
    const whole = { ...request, options: { words: true, failFast: true } }
    expect(requestHashOf({ ...request, options })).to.equal(sha256(canonicalJson(whole)))
  })
})
