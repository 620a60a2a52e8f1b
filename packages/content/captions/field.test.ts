import { expect } from 'chai'
import fc from 'fast-check'
import { parseAss } from './parse-ass.ts'
import { parseCaptions } from './parse-captions.ts'
import { parseTrack } from './parse-track.ts'
import { transcriptOf } from './transcript.fixture.ts'
import { transcriptForms } from './transcript-forms.ts'
import { transcriptText } from './transcript-text.ts'

type Said = readonly [start: number, end: number, text: string]
const segments = (...said: Said[]) => said.map(([start, end, text]) => ({ start, end, text }))
const read = async (text: string, ...said: Said[]) => expect(await parseCaptions(text)).to.deep.equal(segments(...said))
const json3 = (...events: [start: number, length: number, ...words: string[]][]) =>
  JSON.stringify({
    events: events.map(([tStartMs, dDurationMs, ...words]) => ({
      tStartMs,
      dDurationMs,
      segs: words.map((utf8) => ({ utf8 })),
    })),
  })
const readJson3 = async (track: string, ...said: Said[]) =>
  expect(await parseTrack(track, 'json3')).to.deep.equal(segments(...said))

describe('captions as they are found in the field', () => {
  // YTSubConverter#73, invidious#3464
  it('a line of json3, srv3 and WebVTT appears once, whatever its layers, and again at another time', async () => {
    await readJson3(
      json3([1000, 900, '\u200b', 'Run!', '\u200b'], [1000, 900, 'Run!'], [1000, 900, '- No.'], [2000, 900, 'Run!']),
      [1, 1.9, 'Run!'],
      [1, 1.9, '- No.'],
      [2, 2.9, 'Run!'],
    )
    const srv3 = '<timedtext><body><p t="0" d="9">Hey</p><p t="0" d="9">Hey</p></body></timedtext>'
    expect(await parseTrack(srv3, 'srv3')).to.deep.equal(segments([0, 0.009, 'Hey']))
    const cues = ['Hey', '\u200bHey\u200b', '<c.shadow>Hey</c>'].map((text) => `00:01.000 --> 00:02.000\n${text}\n`)
    await read(`WEBVTT\n\n${cues.join('\n')}`, [1, 2, 'Hey'])
  })
  // kiss-translator PR 725; Unicode 23.2
  it('placeholders are not text, joiners are', async () => {
    const joined = '👩\u200d🚀 می\u200cخواهم'
    await readJson3(
      json3(
        [0, 1000, '\u200bHel', '\u2060lo\ufeff'],
        [1000, 9, '\u200b\n\u200b'],
        [1100, 9, '\u200d\u200e'],
        [2000, 1000, joined],
      ),
      [0, 1, 'Hello'],
      [2, 3, joined],
    )
  })
  it('json3 is plain text with entities, srv3 and TTML are plain text', async () => {
    await readJson3(json3([0, 1000, 'if a<b and c>d &amp; {\\an8}']), [0, 1, 'if a<b and c>d & {\\an8}'])
    const body = '<p t="0" d="1000" begin="0s" end="1s">if a&lt;b and c>d &amp;amp; e</p>'
    for (const format of ['srv3', 'ttml'])
      expect(await parseTrack(body, format), format).to.deep.equal(segments([0, 1, 'if a<b and c>d &amp; e']))
  })

  it('WebVTT: hours of any length, no space at the arrow, a comma, a cue below the header, named entities', async () => {
    const cues = ['WEBVTT - a title', '99:59:59.000-->100:00:01.500 line:0', 'Caf&eacute; &hellip; &#233; &copy', '']
    const more = ['name', '123:00:00,250\t-->\t123:00:01,5', 'not a<b> tag', '', 'NOTE', '42', '', 'STYLE', '::cue {}']
    await read([...cues, ...more].join('\n'), [359_999, 360_001.5, 'Café … é ©'], [442_800.25, 442_801.5, 'not a tag'])
  })
  it('a line that is repeated at once is kept, unless the display rolls', async () => {
    const cues = ['10.000 --> 00:11.500\nGo!', '11.500 --> 00:13.000\nGo!', '13.000 --> 00:15.000\nGo! Now!']
    await read(
      `WEBVTT\n\n${cues.map((cue) => `00:${cue}`).join('\n\n')}`,
      [10, 11.5, 'Go!'],
      [11.5, 13, 'Go!'],
      [13, 15, 'Go! Now!'],
    )
  })
  // WhisperTimeSync#17, pysubs2 PR 115, vidstack/captions#8
  it('SubRip: numbers without text or empty lines, coordinates, short times, empty lines in a text', async () => {
    await read(
      '7\n0:0:1,8 --> 0:0:2\nthe\n8\n00:00:03,000 --> 00:00:04,000\n9\n0:0:5,0 --> 0:0:6,0\n42\n\n10\n0:0:7,0-->0:0:8,0\nend',
      [1.8, 2, 'the'],
      [5, 6, '42'],
      [7, 8, 'end'],
    )
    await read(
      '00:00:01,000 --> 00:00:02,000  X1:117 X2:619\n<I>one</I>\n\ntwo\n00:01:00,000 --> 00:01:01,000 three\nfor a<b and c>d',
      [1, 2, 'one two'],
      [60, 61, 'three for a<b and c>d'],
    )
  })

  it('unreadable times are not text, and the text after them is placed between its neighbours', async () => {
    await read(
      '1\n-0:00:01,000 --> 00:00:02,000\none\n\n2\n00:00:03:12 --> 00:00:04:10\ntwo\n\n3\n00:00:05,0 -->\nthree\n\n4\n00:00:06,0 --> 00:00:07,0\nfour',
      [0, 2, 'one'],
      [2, 5, 'two'],
      [5, 6, 'three'],
      [6, 7, 'four'],
    )
    await read('00:00:01,000 --> 00:00:02,000\npress a --> b', [1, 2, 'press a --> b'])
  })

  // the cases come from go-astisub PR 26, androidx/media PR 3247, TTML2 12.3.1
  it('TTML: ticks, frames, hours and minutes; times from body, div and span; a missing end', async () => {
    const tt = (body: string, rates = '') =>
      `<tt xmlns:ttp="http://www.w3.org/ns/ttml#parameter" ${rates}><head><metadata><ttm:title>no</ttm:title></metadata></head>${body}</tt>`
    const said = async (track: string) =>
      (await parseTrack(track, 'ttml')).map(({ start, end, text }) => [start, end, text])
    const ticks = tt('<body><p begin="15000t" end="20000t">ticks</p></body>', 'ttp:tickRate="10000"')
    expect(await said(ticks)).to.deep.equal([[1.5, 2, 'ticks']])
    const frames = tt('<body><p begin="00:00:01:12" dur="25f">frames</p></body>', 'ttp:frameRate="25"')
    expect(await said(frames)).to.deep.equal([[1.48, 2.48, 'frames']])
    const body =
      '<body begin="1m"><div begin="10s" end="20s"><p>of its div</p><p begin="11s" end="60s">late</p></div>' +
      '<div begin="0.01h"><p><span begin="1s" end="2s">one</span> <span begin="2s">two<br/>lines</span></p></div></body>'
    expect(await said(tt(body))).to.deep.equal([
      [70, 80, 'of its div'],
      [81, 81, 'late'],
      [97, 98, 'one'],
      [98, 98, 'two lines'],
    ])
  })

  // the cases come from pysubs2 PR 31, splayerx PR 539
  it('ASS: only dialogue, without drawings, overrides, comments and layers', () => {
    const lines = [
      '[Events]',
      'Format: Layer, Start, End, Style, Text',
      'Comment: 0,0:00:00.00,0:00:01.00,Default,a note',
      'Dialogue: 0,0:00:05.00,0:00:06.00,Default,A hard\\hspace, {\\i1}italic{\\i0} &amp; more',
      'Dialogue: 0,0:00:01.00,0:00:03.50,Default,{\\k20}Sail {\\k30}away\\Nwith me',
      'Dialogue: 1,0:00:01.00,0:00:03.50,Default,{\\k20\\blur3}Sail {\\k30}away\\Nwith me',
      'Dialogue: 0,0:00:04.00,0:00:06.00,Default,{\\p1\\pos(0,0)}m 0 0 l 100 0{\\p0}',
    ]
    expect(parseAss(lines.join('\r\n'))).to.deep.equal(
      segments([1, 3.5, 'Sail away with me'], [5, 6, 'A hard space, italic & more']),
    )
  })

  it('marks of sounds are not text; an index is', () => {
    const text = (...texts: string[]) => transcriptText(texts.map((text) => ({ text })))
    expect(text('array[i] = b[index]', 'x (y)[count]')).to.equal('array[i] = b[index] x (y)[count]')
    expect(text('[♪♪♪] La la', '【音楽】', 'そう［笑］です', '[拍手] ♬', 'so [Applause] yes')).to.equal(
      'La la そう です so yes',
    )
  })

  it('any track survives a round trip through our own writers', async () => {
    const piece = fc.constantFrom(
      '<b>',
      '</i>',
      '<00:01>',
      '{\\an8}',
      '{\\p1}',
      '&amp;',
      '&lt',
      '-->',
      '00:00:01,000 --> 00:00:02,000',
      'NOTE',
      'WEBVTT',
      '42',
      'a<b and c>d',
      'X1:1',
      '♪',
      '[x]',
      '👩\u200d🚀',
      'naïve',
      'go',
      'go',
      '&#39;',
      '"',
      '\\h',
    )
    const text = fc.array(piece, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '))
    const gap = fc.integer({ min: 0, max: 5_000_000 })
    const length = fc.integer({ min: 200, max: 400_000_000 })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(gap, length, text), { maxLength: 12 }), async (cues) => {
        let at = 0
        const written = cues.map(([gap, length, text]) => {
          const start = at + gap
          at = start + length
          return { start: start / 1000, end: at / 1000, text }
        })
        for (const form of [transcriptForms.vtt, transcriptForms.srt])
          expect(await parseCaptions(form.write(transcriptOf(written))), form.contentType).to.deep.equal(written)
      }),
      { numRuns: 300 },
    )
  })
})
