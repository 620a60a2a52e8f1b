import { expect } from 'chai'
import { baseLanguage } from '#packages/content/languages/base-language.ts'
import { limitsOf } from './models.ts'
import { languageTag } from './read-answer.ts'

describe('languages of an endpoint', () => {
  it('understands names and codes, and nothing else', () => {
    const names = [
      'english',
      'English',
      'portuguese',
      'haitian creole',
      'burmese',
      'myanmar',
      'cantonese',
      'norwegian nynorsk',
    ]
    expect(names.map(languageTag)).to.deep.equal(['en', 'en', 'pt', 'ht', 'my', 'my', 'yue', 'nn'])
    expect(['de', 'pt-br', 'jw'].map(languageTag)).to.deep.equal(['de', 'pt-BR', 'jv'])
    expect(['klingon speech', '', undefined, 7].map(languageTag)).to.deep.equal([null, null, null, null])
  })

  it('sends the language of a tag without its region', () => {
    expect(['pt-BR', 'zh-Hant-TW', 'en', null].map(baseLanguage)).to.deep.equal(['pt', 'zh', 'en', undefined])
  })
})

describe('models of an endpoint', () => {
  it('are known by name, even with a date', () => {
    expect(limitsOf('whisper-1')).to.include({ format: 'verbose_json', known: true })
    expect(limitsOf('gpt-4o-mini-transcribe-2025-12-15')).to.include({ format: 'json', known: true })
    expect(limitsOf('gpt-4o-transcribe-diarize')).to.include({ format: 'diarized_json', known: true })
    expect(limitsOf('faster-whisper-large')).to.include({ format: 'verbose_json', known: false })
  })
})
