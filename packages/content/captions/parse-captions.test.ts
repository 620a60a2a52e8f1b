import { expect } from 'chai'
import { describeRecorded, recording } from '#test/doubles/recordings.ts'
import { CaptionsTooLongError } from './clean.ts'
import { parseCaptions } from './parse-captions.ts'

const vtt = (...cues: string[]) => `WEBVTT\n\n${cues.join('\n\n')}\n`
const textsOf = async (text: string) => (await parseCaptions(text)).map(({ text }) => text)
const failureOf = (text: string) => parseCaptions(text).catch((error: unknown) => error)

describe('parseCaptions', () => {
  it('returns seconds and clean text', async () => {
    const srt =
      '1\n00:00:00,000 --> 00:00:02,000\nHello\n\n2\n01:00:02,500 --> 01:00:05,040\n{\\an8}<font color="#fff">two</font>\nlines\n'
    expect(await parseCaptions(srt)).to.deep.equal([
      { start: 0, end: 2, text: 'Hello' },
      { start: 3602.5, end: 3605.04, text: 'two lines' },
    ])
  })

  it('decodes entities once and keeps text that only looks like markup', async () => {
    const text = vtt('00:01.000 --> 00:02.000\n<v Roger>R&amp;D &#39;&#x263a;&#39; 3 < 5 &amp;lt; &unknown;')
    expect(await textsOf(text)).to.deep.equal(["R&D '☺' 3 < 5 &lt; &unknown;"])
  })

  it('drops empty cues, keeps named sounds', async () => {
    const text = vtt('00:01.000 --> 00:02.000\n<i> </i>&nbsp;', '00:03.000 --> 00:04.000\n[Music]')
    expect(await textsOf(text)).to.deep.equal(['[Music]'])
  })

  it('keeps a rolling line once, and a line that is spoken twice twice', async () => {
    const rolling = vtt(
      '00:01.000 --> 00:02.000\none',
      '00:02.000 --> 00:02.010\none',
      '00:02.010 --> 00:03.000\none\ntwo',
      '00:03.010 --> 00:04.000\ntwo\nthree',
    )
    expect(await textsOf(rolling)).to.deep.equal(['one', 'two', 'three'])
    const twice = vtt('00:01.000 --> 00:02.000\nNo.', '00:05.000 --> 00:06.000\nNo.')
    expect(await textsOf(twice)).to.deep.equal(['No.', 'No.'])
  })

  it("reads YouTube's rolling captions, with the time of each word, as spoken", async () => {
    const head = 'WEBVTT\nKind: captions\nLanguage: en\n'
    const cues = [
      '00:00:02.100 --> 00:00:04.980 align:start position:0%\n[kettle]',
      '00:00:05.000 --> 00:00:07.490 align:start position:0%\nThe<00:00:05.300><c> kettle</c><00:00:05.900><c> sings.</c>',
      '00:00:07.500 --> 00:00:09.190 align:start position:0%\nThe kettle sings.\nWho<00:00:07.800><c> pours?</c>',
      '00:00:09.200 --> 00:00:11.000 align:start position:0%\nWho pours?',
    ]
    expect(await textsOf(`${head}\n${cues.join('\n\n')}\n`)).to.deep.equal([
      '[kettle]',
      'The kettle sings.',
      'Who pours?',
    ])
  })

  it('reads captions as TikTok writes them, after two blank lines, each beginning where the last ended', async () => {
    const text = 'WEBVTT\n\n\n00:00:00.240 --> 00:00:01.900\nTea time.\n\n00:00:01.901 --> 00:00:03.500\nBoil it. Oh,\n'
    expect(await parseCaptions(text)).to.deep.equal([
      { start: 0.24, end: 1.9, text: 'Tea time.' },
      { start: 1.901, end: 3.5, text: 'Boil it. Oh,' },
    ])
  })

  it('returns nothing for a text that is not captions', async () => {
    expect(await parseCaptions('')).to.deep.equal([])
    expect(await parseCaptions('hello\nworld')).to.deep.equal([])
  })

  it('reads both line endings, a byte order mark, and settings beside the times', async () => {
    const cues = [
      '\uFEFFWEBVTT',
      '',
      '00:01.500 --> 00:02.000 align:start line:0%',
      'one',
      '',
      'NOTE of nothing',
      '',
      '00:03.000 --> 00:04.250',
      'two',
      '',
    ]
    for (const end of ['\n', '\r\n']) {
      expect(await parseCaptions(cues.join(end))).to.deep.equal([
        { start: 1.5, end: 2, text: 'one' },
        { start: 3, end: 4.25, text: 'two' },
      ])
    }
  })

  describe('hostile captions', () => {
    const times = '00:00:01,000 --> 00:00:02,000\n'
    const MEBIBYTE = 1024 * 1024

    it('are read completely, however long a cue is', async () => {
      const lines = Array.from({ length: 60_000 }, (_, line) => `line ${line}`)
      const cue = `${times}${lines.join('\n')}\n`
      expect(await textsOf(`${cue}\n${times}${'x'.repeat(2 * MEBIBYTE)}\n\n${cue}`)).to.deep.equal([
        lines.join(' '),
        'x'.repeat(2 * MEBIBYTE),
      ])
    })
    it('are refused with more than 20,000 cues', async () => {
      const cues = (count: number) => `${times}x\ny\n\n`.repeat(count)
      expect(await parseCaptions(cues(20_000))).to.have.length(1)
      expect(await failureOf(cues(20_001))).to.be.instanceOf(CaptionsTooLongError)
      expect(await failureOf('-->'.repeat(MEBIBYTE))).to.be.instanceOf(CaptionsTooLongError)
    })
    it('are parsed in one pass over spaces before an arrow', async () => {
      const started = performance.now()
      expect(await textsOf(`WEBVTT\n\n${' '.repeat(100_000)}-->\n\n00:01.000   -->   00:02.000\nwords`)).to.deep.equal([
        'words',
      ])
      expect(performance.now() - started).to.be.below(10_000)
    })
    it('are refused with more than 250,000 lines', async () => {
      for (const end of ['\n', '\r', '\r\n']) {
        expect(await failureOf(end.repeat(250_000))).to.deep.equal([])
        expect(await failureOf(end.repeat(250_001)), JSON.stringify(end)).to.be.instanceOf(CaptionsTooLongError)
      }
    })
    for (const piece of ['<a', '{\\', '<1', '&#1', '&amp', ' ', '\t--', '[']) {
      it(`are parsed in one pass over ${JSON.stringify(piece)} repeated`, async () => {
        const filler = piece.repeat((2 * MEBIBYTE) / piece.length)
        expect(await textsOf(`${filler}\n\n${times}kept`)).to.deep.equal(['kept'])
        expect((await textsOf(`${times}kept\n\n${times}${filler}`))[0]).to.equal('kept')
      })
    }
  })
})

describeRecorded('parseCaptions', () => {
  const read = (name: string) => parseCaptions(recording(`captions/${name}`))

  it("reads YouTube's rolling captions as spoken", async () => {
    expect((await read('youtube-asr-rolling.vtt')).map(({ text }) => text)).to.deep.equal([
      '[music]',
      "I'm just going to check gold.",
      'Yeah, bearish bias today.',
      "I'll buy above resistance.",
    ])
  })
  it("reads TikTok's captions", async () => {
    const segments = await read('tiktok-asr.vtt')
    expect(segments[0]).to.deep.equal({ start: 0.12, end: 1.84, text: 'Alright, pizza review time.' })
    expect(segments.length).to.be.above(3)
  })
})
