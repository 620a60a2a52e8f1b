import { expect } from 'chai'
import { errorFields, loggable } from './error-fields.ts'

describe('an error in the log', () => {
  const cases: [text: string, logged?: string][] = [
    ['ERROR: [youtube] dQw4w9WgXcQ: Video unavailable', 'ERROR: [youtube] (id): Video unavailable'],
    ['[TikTok] 7692131808313344001: gone', '[TikTok] (id): gone'],
    ['GET https://u:p@cdn.example.com:8443/a/b.mp4?sig=x#y failed', 'GET https://cdn.example.com:8443/… failed'],
    ['youtube.com/watch?v=abcdefghijk is gone', 'youtube.com/… is gone'],
    ['asked for /watch?v=abcdefghijk&t=1', 'asked for /watch?…?…'],
    ['connect ECONNREFUSED 127.0.0.1:2113'],
    ['job-3f2504e0-4f89-41d3-9a0c-0305e82c4401 is at 3, not at 2'],
    ["ENOENT: no such file, open '/var/lib/video/events.sqlite'"],
  ]
  for (const [text, logged = text] of cases)
    it(`keeps the parts of “${text}” that are not content`, () => {
      expect(loggable(text)).to.equal(logged)
    })

  it('contains no content of the error, its causes and their fields', () => {
    const invalid = (() => {
      try {
        return new URL('http://[secret-host/secret-path?secret=1')
      } catch (error) {
        return error
      }
    })()
    const inner = Object.assign(new Error('no https://cdn.example.com/secret/1?sig=2'), {
      options: { path: '/secret' },
    })
    const both = new AggregateError([inner, invalid], 'two of them')
    const json = JSON.stringify(errorFields(new TypeError('outer\n    at https://x.example/secret', { cause: both })))
    expect(json).to.not.contain('secret')
    expect(json).to.contain('two of them').and.contain('ERR_INVALID_URL').and.contain('error-fields.test.ts')
  })

  it('is limited in size, even for long texts and circular causes', () => {
    const loop = new Error('a'.repeat(1_000_000))
    loop.cause = loop
    expect(JSON.stringify(errorFields(loop)).length).to.be.below(60_000)
    expect(loggable('a.'.repeat(1_000_000))).to.have.length.below(2100)
  })

  it('may be any thrown value', () => {
    expect([errorFields('https://a.example/b'), errorFields({ url: 1 }), errorFields(undefined)]).to.deep.equal([
      'https://a.example/…',
      'object',
      'undefined',
    ])
  })
})
