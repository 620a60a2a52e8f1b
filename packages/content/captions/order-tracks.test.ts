import { expect } from 'chai'
import { anyLanguage, toBcp47 } from './language.ts'
import { orderTracks } from './order-tracks.ts'

const track = (language: string | null, more: { default?: boolean; forced?: boolean } = {}) => ({
  language,
  default: false,
  forced: false,
  ...more,
})

describe('orderTracks', () => {
  const tracks = [
    track('en', { forced: true }),
    track('de'),
    track('pt-BR'),
    track('pt'),
    track('fr', { default: true }),
  ]
  const first = (lang: string | null, strictLang = false) => orderTracks(tracks, { lang, strictLang })[0]?.language

  it('prefers the exact requested language, then it without a region, then its likeliest region', () => {
    expect([first('pt'), first('pt-BR'), first('PT-br'), first('pt-PT')]).to.deep.equal(['pt', 'pt-BR', 'pt-BR', 'pt'])
    expect([first('deu'), first('de-AT')]).to.deep.equal(['de', 'de'])
  })
  it('falls back to the default track, then to the first that is not forced', () => {
    expect([first(null), first('ja')]).to.deep.equal(['fr', 'fr'])
    expect(orderTracks(tracks.slice(0, 2), anyLanguage)[0]?.language).to.equal('de')
  })
  it('has only tracks in the language if it is required', () => {
    const all = [...tracks, track(null)]
    expect(orderTracks(all, { lang: 'pt-PT', strictLang: true }).map(({ language }) => language)).to.deep.equal([
      'pt',
      'pt-BR',
    ])
    expect(first('ja', true)).to.equal(undefined)
    expect(first(null, true)).to.equal('fr')
  })
})

describe('toBcp47', () => {
  for (const [code, tag] of [
    ['eng', 'en'],
    ['ger', 'de'],
    ['fre', 'fr'],
    ['pt-br', 'pt-BR'],
    ['und', null],
    ['', null],
    ['not a tag', null],
  ] as const) {
    it(`${code || 'nothing'} is ${tag}`, () => expect(toBcp47(code)).to.equal(tag))
  }
})
