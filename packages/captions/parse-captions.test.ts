import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseCaptions } from './parse-captions.ts'

const vtt = (...cues: string[]) => `WEBVTT\n\n${cues.join('\n\n')}\n`
const textsOf = async (text: string) => (await parseCaptions(text, 'vtt')).map(({ text }) => text)

describe('parseCaptions', () => {
  it('gives seconds and clean text', async () => {
    const srt =
      '1\n00:00:00,000 --> 00:00:02,000\nHello\n\n2\n01:00:02,500 --> 01:00:05,040\n{\\an8}<font color="#fff">two</font>\nlines\n'
    expect(await parseCaptions(srt, 'srt')).eql([
      { start: 0, end: 2, text: 'Hello' },
      { start: 3602.5, end: 3605.04, text: 'two lines' },
    ])
  })

  it('decodes entities once and keeps what only looks like markup', async () => {
    const text = vtt('00:01.000 --> 00:02.000\n<v Roger>R&amp;D &#39;&#x263a;&#39; 3 < 5 &amp;lt; &unknown;')
    expect(await textsOf(text)).eql(["R&D '☺' 3 < 5 &lt; &unknown;"])
  })

  it('drops empty cues, keeps sounds that are named', async () => {
    const text = vtt('00:01.000 --> 00:02.000\n<i> </i>&nbsp;', '00:03.000 --> 00:04.000\n[Music]')
    expect(await textsOf(text)).eql(['[Music]'])
  })

  it('says rolling lines once, and a line said twice twice', async () => {
    const rolling = vtt(
      '00:01.000 --> 00:02.000\none',
      '00:02.000 --> 00:02.010\none',
      '00:02.010 --> 00:03.000\none\ntwo',
      '00:03.010 --> 00:04.000\ntwo\nthree',
    )
    expect(await textsOf(rolling)).eql(['one', 'two', 'three'])
    const twice = vtt('00:01.000 --> 00:02.000\nNo.', '00:05.000 --> 00:06.000\nNo.')
    expect(await textsOf(twice)).eql(['No.', 'No.'])
  })

  it('gives nothing for what is no captions', async () => {
    expect(await parseCaptions('', 'srt')).eql([])
    expect(await parseCaptions('hello\nworld', 'vtt')).eql([])
  })

  describe('recorded captions (skipped where ../shared is absent)', function () {
    const recorded = new URL('../../../shared/fixtures/captions/', import.meta.url)
    const read = (name: string) => parseCaptions(readFileSync(new URL(name, recorded), 'utf8'), 'vtt')
    before(() => existsSync(recorded) || this.ctx.skip())

    it("YouTube's rolling ones read as they are spoken", async () => {
      expect((await read('youtube-asr-rolling.vtt')).map(({ text }) => text)).eql([
        '[music]',
        "I'm just going to check gold.",
        'Yeah, bearish bias today.',
        "I'll buy above resistance.",
      ])
    })
    it("TikTok's are read", async () => {
      const segments = await read('tiktok-asr.vtt')
      expect(segments[0]).eql({ start: 0.12, end: 1.84, text: 'Alright, pizza review time.' })
      expect(segments.length).above(3)
    })
  })
})
