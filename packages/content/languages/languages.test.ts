import { expect } from 'chai'
import { canonicalTag, isLanguage, languageNamed, likelyLanguage } from './languages.ts'

describe('languages', () => {
  it('are known by their tags, in any spelling that BCP 47 allows', () => {
    expect(['EN', 'eng', 'pt-br', 'iw', 'zh-hant-tw', 'en_US', 'a-'].map(canonicalTag)).to.deep.equal([
      'en',
      'en',
      'pt-BR',
      'he',
      'zh-Hant-TW',
      undefined,
      undefined,
    ])
    expect(['en', 'pt-BR', 'yue', 'haw', 'zh-Hant-TW'].map(isLanguage)).to.deep.equal([true, true, true, true, true])
    expect(['xx', 'english', 'und', 'zxx', 'qq-US'].map(isLanguage)).to.deep.equal([false, false, false, false, false])
  })

  it('are found by their English and their native names, ignoring case and accents', () => {
    const given = [
      'english',
      'English',
      'Deutsch',
      'français',
      'FRANCAIS',
      'español',
      '日本語',
      '中文',
      'हिन्दी',
      'العربية',
    ]
    expect(given.map(languageNamed)).to.deep.equal(['en', 'en', 'de', 'fr', 'fr', 'es', 'ja', 'zh', 'hi', 'ar'])
    const more = ['norwegian bokmål', 'Haitian Creole', 'bengali', 'farsi', 'mandarin', 'cantonese', 'thai', 'русский']
    expect(more.map(languageNamed)).to.deep.equal(['nb', 'ht', 'bn', 'fa', 'zh', 'yue', 'th', 'ru'])
    expect(['klingon speech', '', 'xx', 'englsh'].map(languageNamed)).to.deep.equal(Array(4).fill(undefined))
  })

  it('are guessed from misspelt names and country codes, and from nothing else', () => {
    const given = ['englsh', 'englisch', 'portugese', 'spanisch', 'deutch', 'jp', 'cz', 'gr', 'us', 'JP-jp']
    expect(given.map(likelyLanguage)).to.deep.equal(['en', 'en', 'pt', 'es', 'de', 'ja', 'cs', 'el', 'en', 'ja'])
    expect(['xx', 'qqq', 'zzzzzzzz', 'nothing'].map(likelyLanguage)).to.deep.equal([null, null, null, null])
  })
})
