import { expect } from 'chai'
import { anyLanguage, type LanguageWish } from '#packages/content/captions/language.ts'
import type { CaptionTrackInfo, FormatInfo, VideoInfo } from '../ytdlp/info.ts'
import { chooseFormat } from './choose-format.ts'
import { orderCaptions } from './order-captions.ts'

const human = (language: string, ext = 'vtt'): CaptionTrackInfo => ({
  language,
  automatic: false,
  ext,
  translated: false,
})
const heard = (language: string, ext = 'vtt'): CaptionTrackInfo => ({ ...human(language, ext), automatic: true })
const translated = (language: string): CaptionTrackInfo => ({ ...heard(language), translated: true })

describe('orderCaptions', () => {
  const order = (captions: CaptionTrackInfo[], lang: string | null, language: string | null = null) =>
    ordered(captions, { lang }, language)
  const ordered = (captions: CaptionTrackInfo[], wish: Partial<LanguageWish>, language: string | null = null) =>
    orderCaptions({ captions, language } as VideoInfo, { ...anyLanguage, ...wish }).map(
      ({ language, automatic, translated }) =>
        [automatic ? 'heard' : 'human', language, ...(translated ? ['translated'] : [])].join(' '),
    )

  it('takes exactly the requested language, then any region of it, then the original, then the rest', () => {
    const tracks = [human('de'), human('pt'), human('en'), human('pt-PT'), human('pt-BR')]
    expect(order(tracks, 'pt-BR', 'en')).to.deep.equal([
      'human pt-BR',
      'human pt',
      'human pt-PT',
      'human en',
      'human de',
    ])
  })
  it('prefers captions by a person to automatic ones in the same language', () => {
    expect(order([heard('en'), human('en-GB')], 'en')).to.deep.equal(['human en-GB', 'heard en'])
    expect(order([heard('en-orig'), human('de')], 'en')[0]).to.equal('heard en-orig')
  })
  it('reads the language of a key with a name, and ranks a described track behind all others of its language', () => {
    const tracks = [human('en-desc'), heard('en-orig'), human('de'), human('en-nP7-2PuUl7o')]
    const best = ['human en-nP7-2PuUl7o', 'heard en-orig', 'human en-desc', 'human de']
    expect(order(tracks, 'en')).to.deep.equal(best)
    expect(order(tracks, null, 'en')).to.deep.equal(best)
    expect(ordered([human('zh-Hant-HK-abcdefghij_')], { lang: 'zh-TW', strictLang: true })).to.have.length(1)
  })
  it('prefers the requested script to captions by a person in another', () => {
    expect(order([human('zh-Hans'), heard('zh-TW')], 'zh-Hant')[0]).to.equal('heard zh-TW')
  })
  it('takes the original if no language is requested', () => {
    expect(order([human('de'), human('es'), heard('es-orig')], null)).to.deep.equal([
      'human es',
      'heard es-orig',
      'human de',
    ])
    expect(order([human('de'), heard('en')], null, 'en-US')[0]).to.equal('heard en')
  })
  it('never gives a machine translation, unless one into its language is requested', () => {
    const tracks = [translated('fr'), heard('en-orig'), translated('de')]
    expect(order(tracks, 'fr')).to.deep.equal(['heard en-orig'])
    const translate = true
    expect(ordered(tracks, { translate })).to.deep.equal(['heard en-orig'])
    expect(ordered(tracks, { translate, lang: 'it' })).to.deep.equal(['heard en-orig'])
    expect(ordered(tracks, { translate, lang: 'fr' })).to.deep.equal(['heard fr translated', 'heard en-orig'])
    expect(ordered([...tracks, human('fr')], { translate, lang: 'fr' })[0]).to.equal('human fr')
  })
  it('gives nothing in another language if the language is required', () => {
    const tracks = [translated('fr'), heard('en-orig'), human('pt-BR'), translated('de')]
    const strictLang = true
    expect(ordered(tracks, { strictLang })).to.deep.equal(['heard en-orig', 'human pt-BR'])
    expect(ordered(tracks, { strictLang, lang: 'fr' })).to.deep.equal([])
    expect(ordered(tracks, { strictLang, lang: 'pt-PT' })).to.deep.equal(['human pt-BR'])
    expect(ordered(tracks, { strictLang, lang: 'fr', translate: true })).to.deep.equal(['heard fr translated'])
  })
  it('chooses the format that keeps most of a track, and no unreadable format', () => {
    const tracks = ['srt', 'vtt', 'lrc', 'json3', 'srv2', 'ttml'].map((ext) => human('en', ext))
    const formats = orderCaptions({ captions: tracks, language: null } as VideoInfo, anyLanguage).map(({ ext }) => ext)
    expect(formats).to.deep.equal(['json3', 'ttml', 'vtt', 'srt'])
  })
})

describe('chooseFormat', () => {
  const format = (formatId: string, given: Partial<FormatInfo>): FormatInfo => ({
    formatId,
    ext: 'mp4',
    vcodec: null,
    acodec: null,
    width: null,
    height: null,
    bytes: null,
    bitrate: null,
    language: null,
    languagePreference: null,
    protocol: 'https',
    ...given,
  })
  const sound = (formatId: string, bytes: number, more: Partial<FormatInfo> = {}) =>
    format(formatId, { vcodec: 'none', acodec: 'mp4a', bytes, ...more })
  const both = (formatId: string, height: number, bytes: number, more: Partial<FormatInfo> = {}) =>
    format(formatId, { vcodec: 'avc1', acodec: 'mp4a', width: (height * 16) / 9, height, bytes, ...more })
  const chosen = (formats: FormatInfo[], lang: string | null = null) =>
    chooseFormat(formats, { want: 'audio', lang })?.formatId

  it('takes the smallest format of sound alone, else the smallest with a picture', () => {
    expect(chosen([both('18', 360, 10), sound('140', 300), sound('139', 100)])).to.equal('139')
    expect(chosen([both('hd', 1080, 900), both('sd', 360, 100)])).to.equal('sd')
    expect(chosen([format('http-832', { bitrate: 832 }), format('http-256', { bitrate: 256 })])).to.equal('http-256')
  })
  it('takes the sound that describes the picture only if there is no other', () => {
    const described = sound('140-0', 100, { language: 'en-desc', languagePreference: -10 })
    const own = sound('140-1', 200, { language: 'en', languagePreference: 10 })
    expect([chosen([described, own], 'en'), chosen([described, own]), chosen([described])]).to.deep.equal([
      '140-1',
      '140-1',
      '140-0',
    ])
  })
  it('takes the original sound, or the requested dub', () => {
    const dubbed = [
      sound('dub', 10, { language: 'de', languagePreference: -1 }),
      sound('own', 90, { language: 'en-US', languagePreference: 10 }),
    ]
    expect(chosen(dubbed)).to.equal('own')
    expect(chosen(dubbed, 'de')).to.equal('dub')
    expect(chosen(dubbed, 'fr')).to.equal('own')
  })
  it('prefers one file to a list of segments', () => {
    expect(chosen([both('hls', 144, 1, { protocol: 'm3u8_native' }), both('file', 360, 100)])).to.equal('file')
    expect(chosen([both('hls', 144, 1, { protocol: 'm3u8_native' })])).to.equal('hls')
  })
  it("does not take the music of a TikTok for the video's sound", () => {
    const formats = [sound('audio', 1), both('h264', 720, 100)]
    expect(chooseFormat(formats, { want: 'audio', lang: null, foreignSound: 'audio' })?.formatId).to.equal('h264')
  })
  it('takes the largest picture of at most 480 lines, counting the width of an upright one', () => {
    const pick = (formats: FormatInfo[]) => chooseFormat(formats, { want: 'video', lang: null })
    expect(pick([both('a', 1080, 9), both('b', 480, 9), both('c', 360, 9), sound('d', 1)])?.formatId).to.equal('b')
    expect(
      pick([format('tall', { width: 480, height: 854 }), format('hd', { width: 720, height: 1280 })])?.formatId,
    ).to.equal('tall')
    expect(pick([both('only', 1080, 9)])?.formatId).to.equal('only')
    expect(pick([sound('d', 1)])).to.equal(undefined)
  })
  it('chooses among as many formats as an answer can hold', () => {
    const many = Array.from({ length: 200_000 }, (_, i) => sound(`f${i}`, i + 1))
    expect(chosen(many)).to.equal('f0')
  })
  it('finds nothing if no format has sound', () => {
    expect(chosen([format('mute', { vcodec: 'avc1', acodec: 'none' }), format('sb0', { ext: 'mhtml' })])).to.equal(
      undefined,
    )
  })
})
