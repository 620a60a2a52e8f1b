import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { python } from '#test/doubles/python.ts'
import { toInfo } from './to-info.ts'

const trim = fileURLToPath(new URL('./trim.py', import.meta.url))
const recordings = new URL('../../../../shared/fixtures/ytdlp-J/', import.meta.url)

const infoOf = (raw: string | object) => {
  const input = typeof raw === 'string' ? raw : JSON.stringify(raw)
  return toInfo(JSON.parse(execFileSync(python, ['-EsB', trim], { input, encoding: 'utf8' })))
}

/** An invented dictionary in the shape of yt-dlp's, with what the recordings do not have. */
const invented = {
  _type: 'video',
  id: 'abcdefghijk',
  display_id: 'abcdefghijk',
  title: 'A kettle that sings',
  description: '',
  duration: 12.5,
  view_count: '12',
  like_count: -1,
  upload_date: '20260102',
  live_status: 'was_live',
  formats: [
    { format_id: 'sb0', ext: 'mhtml', protocol: 'mhtml', vcodec: 'none', acodec: 'none', url: 'https://i.example/s' },
    { format_id: 'drm', ext: 'mp4', protocol: 'https', has_drm: true, url: 'https://v.example/d' },
    { format_id: '139-0', ext: 'm4a', protocol: 'https', vcodec: 'none', acodec: 'mp4a.40.5', language_preference: -1 },
    {
      format_id: '139-1',
      ext: 'm4a',
      protocol: 'https',
      language: 'en',
      language_preference: 10,
      filesize: 7,
      tbr: 48.8,
    },
    { ext: 'mp4', protocol: 'https' },
  ],
  subtitles: {
    live_chat: [{ ext: 'json', url: 'https://c.example/chat' }],
    de: [{ ext: 'vtt', url: 'https://c.example/d' }],
  },
  automatic_captions: {
    'en-orig': [
      { ext: 'json3', url: 'https://c.example/e?lang=en' },
      { ext: 'vtt', url: 'https://c.example/e' },
    ],
    fr: [{ ext: 'json3', url: 'https://c.example/e?lang=en&tlang=fr' }],
  },
}

describe('the info dictionary of yt-dlp', () => {
  it('gives formats and captions without what nobody can use', () => {
    const info = infoOf(invented)
    expect(info).to.deep.include({
      id: 'abcdefghijk',
      description: null,
      durationSeconds: 12.5,
      liveStatus: 'was_live',
    })
    expect(info.formats.map(({ formatId }) => formatId)).to.deep.equal(['139-0', '139-1'])
    expect(info.formats[1]).to.include({ language: 'en', languagePreference: 10, bytes: 7, bitrate: 48_800 })
    expect(info.captions).to.deep.equal([
      { language: 'de', automatic: false, ext: 'vtt', translated: false },
      { language: 'en-orig', automatic: true, ext: 'json3', translated: false },
      { language: 'en-orig', automatic: true, ext: 'vtt', translated: false },
      { language: 'fr', automatic: true, ext: 'json3', translated: true },
    ])
  })

  it('lists what a person wrote on YouTube once, and what is translated from it under its own language', () => {
    const written = (query: string) => [{ ext: 'json3', url: `https://www.youtube.com/api/timedtext?v=a&${query}` }]
    const { captions } = infoOf({
      ...invented,
      subtitles: { de: written('lang=de&fmt=json3') },
      automatic_captions: {
        'de-de': written('lang=de&fmt=json3'),
        'zh-Hans-de': written('lang=de&tlang=zh-Hans-de'),
        'en-orig': written('kind=asr&lang=en'),
        es: written('kind=asr&lang=en&tlang=es'),
      },
    })
    expect(captions.map(({ language, automatic, translated }) => [language, automatic, translated])).to.deep.equal([
      ['de', false, false],
      ['zh-Hans', true, true],
      ['en-orig', true, false],
      ['es', true, true],
    ])
  })

  it('has no title where yt-dlp made one up', () => {
    const titleOf = (title: string) => infoOf({ ...invented, extractor: 'facebook', title }).title
    expect(titleOf('Facebook video #abcdefghijk')).to.equal(null)
    expect(titleOf('facebook video #1')).to.equal('facebook video #1')
  })

  it('takes numbers that are none for unknown ones, and the day for the time', () => {
    expect(infoOf(invented)).to.include({ viewCount: null, likeCount: null, timestamp: Date.UTC(2026, 0, 2) / 1000 })
  })

  it('sends no address of media or captions to the service', () => {
    const cut = execFileSync(python, ['-EsB', trim], { input: JSON.stringify(invented), encoding: 'utf8' })
    expect(cut).not.to.include('example')
  })

  it('refuses what is no video', () => {
    for (const raw of [null, [], {}, { id: 7 }])
      expect(() => toInfo(raw))
        .to.throw()
        .with.property('code', 'upstream_error')
  })
})

const recorded: Record<string, object> = {
  youtube: { id: 'An8vtD1FDqs', liveStatus: 'not_live', durationSeconds: 175, viewCount: 91_663, language: 'en' },
  tiktok: {
    id: '7571863205253778710',
    channel: 'IlloJuan',
    uploader: 'illojuan',
    durationSeconds: 64,
    viewCount: 192_100,
    likeCount: 25_500,
    commentCount: 146,
    repostCount: 2156,
  },
  instagram: {
    id: 'DH3tWudxIKB',
    uploader: 'Barstool Sports',
    likeCount: 387,
    commentCount: 12,
    durationSeconds: 76.717,
  },
  x: { id: '1841204388993646595', displayId: '1841206275088290279', viewCount: 4186, likeCount: 296, repostCount: 68 },
  facebook: { id: '1522700938072473', title: 'Meedan video', durationSeconds: 3838.123, timestamp: 1_620_048_721 },
}
const captionsOf: Record<string, string[]> = {
  youtube: ['en', 'en-orig auto', 'en auto', 'es auto translated'],
  tiktok: ['eng-US', 'spa-ES'],
  instagram: [],
  x: ['en'],
  facebook: ['en_US auto'],
}

describe('recorded info dictionaries', () => {
  for (const [platform, fields] of Object.entries(recorded)) {
    it(platform, function () {
      const file = new URL(`${platform}.json`, recordings)
      if (!existsSync(file)) {
        console.log(`    the folder of recordings (../shared/fixtures) is absent`)
        return this.skip()
      }
      const info = infoOf(readFileSync(file, 'utf8'))
      expect(info).to.include(fields)
      expect(info.thumbnail).to.match(/^https:/)
      expect(info.formats.length).to.be.above(0)
      expect(info.formats.filter(({ protocol }) => protocol === 'mhtml')).to.deep.equal([])
      const tracks = info.captions.map(
        ({ language, automatic, translated }) =>
          `${language}${automatic ? ' auto' : ''}${translated ? ' translated' : ''}`,
      )
      expect([...new Set(tracks)]).to.deep.equal(captionsOf[platform])
    })
  }
})
