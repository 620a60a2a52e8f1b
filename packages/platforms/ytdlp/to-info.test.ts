import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { python } from '#test/doubles/python.ts'
import { describeRecorded, recording } from '#test/doubles/recordings.ts'
import { toInfo } from './to-info.ts'

const trim = fileURLToPath(new URL('./trim.py', import.meta.url))

const infoOf = (raw: string | object) => {
  const input = typeof raw === 'string' ? raw : JSON.stringify(raw)
  return toInfo(JSON.parse(execFileSync(python, ['-EsB', trim], { input, encoding: 'utf8' })))
}

/** An invented dictionary in the shape of yt-dlp's, with cases that the recordings lack. */
const invented = {
  _type: 'video',
  id: 'abcdefghijk',
  display_id: 'abcdefghijk',
  title: 'A kettle that sings',
  description: '',
  duration: 12.5,
  view_count: '12',
  like_count: -1,
  comment_count: 14,
  repost_count: 21,
  upload_date: '20260102',
  live_status: 'was_live',
  language: 'en',
  channel: 'Kettles',
  uploader: 'kettles',
  uploader_id: 'k1',
  thumbnail: 'https://i.example/a.jpg',
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
  it('gives formats and captions without unusable ones', () => {
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

  it("lists YouTube's human captions once, and their translations under their own language", () => {
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

  it('gives the chapters, each up to the next one or the end, and null if there are none', () => {
    const chapters = [
      { start_time: 0, title: 'Soup' },
      { start_time: 6.3, title: 'Stories' },
      { start_time: 9, title: null },
    ]
    expect(infoOf({ ...invented, chapters }).chapters).to.deep.equal([
      { start: 0, end: 6.3, title: 'Soup' },
      { start: 6.3, end: 12.5, title: 'Stories' },
    ])
    expect([infoOf(invented).chapters, infoOf({ ...invented, chapters: [] }).chapters]).to.deep.equal([null, null])
  })

  it('has no title if yt-dlp made one up', () => {
    const titleOf = (title: string) => infoOf({ ...invented, extractor: 'facebook', title }).title
    expect(titleOf('Facebook video #abcdefghijk')).to.equal(null)
    expect(titleOf('facebook video #1')).to.equal('facebook video #1')
  })

  it('treats invalid numbers as unknown, and uses the day if there is no time', () => {
    expect(infoOf(invented)).to.include({ viewCount: null, likeCount: null, timestamp: Date.UTC(2026, 0, 2) / 1000 })
  })

  it('gives the author, the picture, and the numbers of comments and reposts', () => {
    const people = { channel: 'Kettles', uploader: 'kettles', uploaderId: 'k1', language: 'en' }
    const counts = { commentCount: 14, repostCount: 21, thumbnail: 'https://i.example/a.jpg' }
    expect(infoOf(invented)).to.include({ ...people, ...counts, displayId: 'abcdefghijk' })
    expect(infoOf({ ...invented, timestamp: 1_700_000_000 })).to.include({ timestamp: 1_700_000_000 })
  })

  it('sends no address of media or captions to the service', () => {
    const input = JSON.stringify({ ...invented, thumbnail: null })
    const cut = execFileSync(python, ['-EsB', trim], { input, encoding: 'utf8' })
    expect(cut).to.not.include('example')
  })

  it('refuses what is not a video', () => {
    for (const raw of [null, [], {}, { id: 7 }])
      expect(() => toInfo(raw))
        .to.throw()
        .with.property('code', 'upstream_error')
  })
})

/** The caption tracks of each platform's recording. */
const tracks: Record<string, string[]> = {
  youtube: ['en', 'en-orig auto', 'en auto', 'es auto translated'],
  tiktok: ['eng-US', 'spa-ES'],
  instagram: [],
  x: ['en'],
  facebook: ['en_US auto'],
}

const tracksOf = ({ captions }: ReturnType<typeof infoOf>): string[] => [
  ...new Set(
    captions.map(
      ({ language, automatic, translated }) =>
        `${language}${automatic ? ' auto' : ''}${translated ? ' translated' : ''}`,
    ),
  ),
]

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

describeRecorded('the info dictionary of each platform', () => {
  for (const [platform, fields] of Object.entries(recorded))
    it(platform, () => {
      const info = infoOf(recording(`ytdlp-J/${platform}.json`))
      expect(info).to.include(fields)
      expect(info.thumbnail).to.match(/^https:/)
      expect(info.formats.length).to.be.above(0)
      expect(info.formats.filter(({ protocol }) => protocol === 'mhtml')).to.deep.equal([])
      expect(tracksOf(info)).to.deep.equal(tracks[platform])
    })
})
