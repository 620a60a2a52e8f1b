import { expect } from 'chai'
import { parseCaptions } from './parse-captions.ts'
import { transcriptOf } from './transcript.fixture.ts'
import { transcriptForms } from './transcript-forms.ts'

const { vtt, srt, txt } = transcriptForms
const segment = (start: number, end: number, text: string) => ({ start, end, text })
describe('a transcript in a form other than JSON', () => {
  it('is WebVTT with its times and its escapes', () => {
    const text = vtt.write(
      transcriptOf([segment(0, 1.5, 'a < b & c --> <i>d</i>'), segment(3661.0006, 360_000, 'one\r\n\n\ntwo')]),
    )
    expect(text).to.equal(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\na &lt; b &amp; c --&gt; &lt;i&gt;d&lt;/i&gt;\n\n' +
        '01:01:01.001 --> 100:00:00.000\none\ntwo\n',
    )
  })

  it('is SubRip with numbers, and without tags or time lines that a player would obey', () => {
    const text = srt.write(
      transcriptOf([
        segment(0.3, 6.64, '<font color=red>x --> y {\\an8}'),
        segment(7, 8, ' \n '),
        segment(9, 9, '1 < 2'),
      ]),
    )
    expect(text).to.equal(
      '1\n00:00:00,300 --> 00:00:06,640\n<\u200bfont color=red>x --\u200b> y {\u200b\\an8}\n\n' +
        '2\n00:00:09,000 --> 00:00:09,001\n1 < 2\n',
    )
  })

  it('is the plain text of the transcript', () => {
    expect(txt.write(transcriptOf([segment(0, 1, 'Hello.'), segment(1, 2, 'You <3')]))).to.equal('Hello. You <3\n')
  })

  it('is read by our own caption reader as the same segments', async () => {
    const segments = [segment(0, 1.5, 'Tom & Jerry'), segment(1.5, 3.25, 'größer 😀'), segment(4000, 4001, 'last')]
    for (const form of [vtt, srt]) {
      const read = await parseCaptions(form.write(transcriptOf(segments)))
      expect(read, form.contentType).to.deep.equal(segments)
    }
  })

  it('is a file without cues if nothing is spoken', () => {
    expect(vtt.write(transcriptOf([]))).to.equal('WEBVTT\n\n')
    expect(srt.write(transcriptOf([]))).to.equal('')
  })
})
