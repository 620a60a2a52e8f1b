import { expect } from 'chai'
import { parseCaptions } from '#packages/captions/parse-captions.ts'
import { type TranscriptForm, transcriptFormOf } from './transcript-form.ts'

const segment = (start: number, end: number, text: string) => ({ start, end, text })
const transcriptOf = (...segments: ReturnType<typeof segment>[]) => {
  return { text: segments.map(({ text }) => text).join(' '), segments, language: 'en', source: 'captions' as const }
}

function formOf(accept: string): TranscriptForm {
  const form = transcriptFormOf({ accept })
  if (form === undefined) throw new Error(`${accept} is JSON`)
  return form
}

describe('the form of a transcript', () => {
  it('is the one that Accept prefers, by q-values, and JSON where Accept allows none', () => {
    const wanted: Record<string, string | undefined> = {
      'text/vtt': 'text/vtt',
      'application/x-subrip': 'application/x-subrip',
      'text/plain': 'text/plain',
      'TEXT/VTT; charset=utf-8': 'text/vtt',
      'text/*': 'text/vtt',
      'text/vtt;q=0.5, text/plain;q=0.8': 'text/plain',
      'text/vtt;q=0.5, application/json;q=0.8': undefined,
      'application/json;q=0.5, application/x-subrip': 'application/x-subrip',
      'text/vtt, */*': 'text/vtt',
      'text/vtt;q=0, text/*': 'text/plain',
      'application/json, text/vtt': undefined,
      'text/html, image/png': undefined,
      'text/html, */*;q=0.1': undefined,
      '*/*': undefined,
      '': undefined,
      ',;=': undefined,
    }
    for (const [accept, type] of Object.entries(wanted))
      expect(transcriptFormOf({ accept })?.contentType, accept).to.equal(type && `${type}; charset=utf-8`)
    expect(transcriptFormOf({})).to.equal(undefined)
  })

  it('is WebVTT with its times and its escapes', () => {
    const text = formOf('text/vtt').write(
      transcriptOf(segment(0, 1.5, 'a < b & c --> <i>d</i>'), segment(3661.0006, 360_000, 'one\r\n\n\ntwo')),
    )
    expect(text).to.equal(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\na &lt; b &amp; c --&gt; &lt;i&gt;d&lt;/i&gt;\n\n' +
        '01:01:01.001 --> 100:00:00.000\none\ntwo\n',
    )
  })

  it('is SubRip with numbers, and without tags or time lines that a player would obey', () => {
    const text = formOf('application/x-subrip').write(
      transcriptOf(
        segment(0.3, 6.64, '<font color=red>x --> y {\\an8}'),
        segment(7, 8, ' \n '),
        segment(9, 9, '1 < 2'),
      ),
    )
    expect(text).to.equal(
      '1\n00:00:00,300 --> 00:00:06,640\n<\u200bfont color=red>x --\u200b> y {\u200b\\an8}\n\n' +
        '2\n00:00:09,000 --> 00:00:09,001\n1 < 2\n',
    )
  })

  it('is the plain text of the transcript', () => {
    expect(formOf('text/plain').write(transcriptOf(segment(0, 1, 'Hello.'), segment(1, 2, 'You <3')))).to.equal(
      'Hello. You <3\n',
    )
  })

  it('is read by our own caption reader as the segments that were written', async () => {
    const segments = [segment(0, 1.5, 'Tom & Jerry'), segment(1.5, 3.25, 'größer 😀'), segment(4000, 4001, 'last')]
    for (const accept of ['text/vtt', 'application/x-subrip']) {
      const read = await parseCaptions(formOf(accept).write(transcriptOf(...segments)))
      expect(read, accept).to.deep.equal(segments)
    }
  })

  it('is a file without cues where nothing is said', () => {
    expect(formOf('text/vtt').write(transcriptOf())).to.equal('WEBVTT\n\n')
    expect(formOf('application/x-subrip').write(transcriptOf())).to.equal('')
  })
})
