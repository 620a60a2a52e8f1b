import { expect } from 'chai'
import { describeRecorded, recording } from '#test/doubles/recordings.ts'
import { CaptionsTooLongError } from './clean.ts'
import { captionFormats, parseTrack, wordsOfTrack } from './parse-track.ts'

const spoken = [
  { start: 0.5, end: 2, text: 'Ships & sails' },
  { start: 2.5, end: 4.75, text: 'two lines' },
]

/** The same two cues, in the form that each platform writes. */
const written: Record<string, string> = {
  json3: JSON.stringify({
    events: [
      { tStartMs: 0, dDurationMs: 9000, id: 1 },
      { tStartMs: 500, dDurationMs: 1500, segs: [{ utf8: 'Ships' }, { utf8: ' &amp; sails', tOffsetMs: 200 }] },
      { tStartMs: 1990, dDurationMs: 10, aAppend: 1, segs: [{ utf8: '\n' }] },
      { tStartMs: 2500, dDurationMs: 2250, segs: [{ utf8: 'two\nlines' }] },
    ],
  }),
  srv1: `<?xml version="1.0"?><transcript><text start="0.5" dur="1.5">Ships &amp;amp; &lt;i&gt;sails&lt;/i&gt;</text>
    <text start="2.5" dur="2.25">two\nlines</text><text start="5" dur="1"></text></transcript>`,
  srv3: `<timedtext format="3"><body><w t="0" id="1"/><p t="500" d="1500"><s>Ships</s><s t="200"> &amp; sails</s></p>
    <p t="1990" d="10" a="1">\n</p><p t="2500" d="2250">two\nlines</p></body></timedtext>`,
  ttml: `<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="00:00:00.500" end="00:00:02.000">Ships &amp; <span>sails</span></p>
    <p begin="2500ms" dur="2.25s">two<br/>lines</p></div></body></tt>`,
  vtt: 'WEBVTT\n\n\n00:00:00.500 --> 00:00:02.000\nShips &amp; <i>sails</i>\n\n00:00:02.500 --> 00:00:04.750\ntwo\nlines\n',
  srt: '1\n00:00:00,500 --> 00:00:02,000\nShips & sails\n\n2\n00:00:02,500 --> 00:00:04,750\ntwo\nlines\n',
}

describe('parseTrack', () => {
  for (const format of captionFormats) {
    it(`reads ${format}`, async () => {
      expect(await parseTrack(written[format] ?? expect.fail(`no ${format} here`), format)).to.deep.equal(spoken)
    })
  }

  it('reads speech recognised by YouTube: words with offsets, in a window, line breaks between lines', async () => {
    const segs = (...words: string[]) =>
      words.map((utf8, n) => ({ utf8, ...(n > 0 && { tOffsetMs: n * 300 }), acAsrConf: 0 }))
    const events = [
      { tStartMs: 0, dDurationMs: 12_000, id: 1, wpWinPosId: 1, wsWinStyleId: 1 },
      { tStartMs: 1100, dDurationMs: 2890, wWinId: 1, segs: segs('[Music]') },
      { tStartMs: 3990, dDurationMs: 10, wWinId: 1, aAppend: 1, segs: segs('\n') },
      { tStartMs: 4000, dDurationMs: 5000, wWinId: 1, segs: segs('Two', ' cups', ' of', ' tea &amp; milk.') },
      { tStartMs: 6000, dDurationMs: 4000, wWinId: 1, segs: segs('Please.') },
    ]
    const track = JSON.stringify({ wireMagic: 'pb3', pens: [{}], wsWinStyles: [{}], wpWinPositions: [{}], events })
    expect(await parseTrack(track, 'json3')).to.deep.equal([
      { start: 1.1, end: 3.99, text: '[Music]' },
      { start: 4, end: 6, text: 'Two cups of tea & milk.' },
      { start: 6, end: 10, text: 'Please.' },
    ])
  })

  it('reads the words of recognised speech with their times, and has none for captions without word times', () => {
    const segs = (...words: string[]) => words.map((utf8, n) => ({ utf8, ...(n > 0 && { tOffsetMs: n * 300 }) }))
    const events = [
      { tStartMs: 0, dDurationMs: 12_000, id: 1 },
      { tStartMs: 4000, dDurationMs: 5000, segs: segs('Two', ' cups', ' of tea &amp; milk.') },
      { tStartMs: 5000, dDurationMs: 10, aAppend: 1, segs: segs('\n') },
      { tStartMs: 6000, dDurationMs: 4000, segs: segs('Please.') },
    ]
    expect(wordsOfTrack(JSON.stringify({ events }), 'json3')).to.deep.equal([
      { start: 4, end: 4.3, text: 'Two' },
      { start: 4.3, end: 4.6, text: 'cups' },
      { start: 4.6, end: 6, text: 'of tea & milk.' },
      { start: 6, end: 10, text: 'Please.' },
    ])
    expect(wordsOfTrack(JSON.stringify({ events: events.slice(3) }), 'json3')).to.equal(undefined)
    for (const format of captionFormats) expect(wordsOfTrack('{}', format), format).to.equal(undefined)
  })

  it('reads srv1 if only the less-than sign is escaped', async () => {
    const track = '<transcript>\n  <text start="0" dur="1.5">this is &lt;i>not&lt;/i> it</text>\n</transcript>'
    expect(await parseTrack(track, 'srv1')).to.deep.equal([{ start: 0, end: 1.5, text: 'this is not it' }])
  })

  it('ends a line of json3 where the next begins', async () => {
    const events = [0, 1000].map((tStartMs) => ({ tStartMs, dDurationMs: 5000, segs: [{ utf8: 'x' }] }))
    expect((await parseTrack(JSON.stringify({ events }), 'json3')).map(({ end }) => end)).to.deep.equal([1, 6])
  })

  it('returns nothing for a text that is not captions', async () => {
    for (const format of captionFormats) expect(await parseTrack('{}', format), format).to.deep.equal([])
  })

  it('refuses more than 20,000 cues', async () => {
    const many = {
      json3: JSON.stringify({ events: Array.from({ length: 20_001 }, () => ({ segs: [] })) }),
      srv1: '<text start="0" dur="1">x</text>'.repeat(20_001),
      srv3: '<p t="0" d="1">x</p>'.repeat(20_001),
      ttml: '<p begin="0s" end="1s">x</p>'.repeat(20_001),
    }
    for (const [format, text] of Object.entries(many)) {
      const refused = await parseTrack(text, format).catch((error: unknown) => error)
      expect(refused, format).to.be.instanceOf(CaptionsTooLongError)
    }
  })

  it('refuses elements nested too deeply', async () => {
    for (const format of ['srv1', 'srv3', 'ttml']) {
      const refused = await parseTrack('<b>'.repeat(1001), format).catch((error: unknown) => error)
      expect(refused, format).to.be.instanceOf(CaptionsTooLongError)
      expect(await parseTrack('<b></b>'.repeat(2000), format), 'one after the other').to.deep.equal([])
    }
  })

  it('expands no entities that a document declares', async () => {
    const bomb = '<!DOCTYPE t [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><p t="0" d="9">&b;</p>'
    expect((await parseTrack(bomb, 'srv3'))[0]?.text ?? '').to.not.contain('aaaa')
  })
})

describeRecorded('parseTrack', () => {
  const read = (name: string, format: string) => parseTrack(recording(`captions/${name}`), format)

  it("YouTube's recognised speech as json3", async () => {
    const segments = await read('youtube-asr.synthetic.json3', 'json3')
    expect(segments.slice(0, 3)).to.deep.equal([
      { start: 7.86, end: 11.83, text: '[Music]' },
      { start: 11.84, end: 14.4, text: "I'm just going to check gold." },
      { start: 14.4, end: segments[2]?.end, text: 'Yeah, bearish bias today & later.' },
    ])
  })
  it("YouTube's human captions as json3", async () => {
    const [first, second] = await read('youtube-manual.first8.json3', 'json3')
    expect(first).to.deep.equal({ start: 0.21, end: 4.04, text: "Hi, I'm Vanessa from SpeakEnglishWithVanessa.com." })
    expect(second?.text).to.equal('Today, I have some good news and some bad news.')
  })
  it('srv1, escaped twice, its empty cue dropped', async () => {
    expect((await read('youtube-srv1.synthetic.xml', 'srv1')).map(({ text }) => text)).to.deep.equal([
      'Hey, this is just a test',
      'this is not the original transcript',
      'just something shorter, I made up for testing',
    ])
  })
})
