import { expect } from 'chai'
import { transcriptText } from './transcript-text.ts'

describe('transcriptText', () => {
  const text = (...texts: string[]) => transcriptText(texts.map((text) => ({ text })))

  it('joins segments by a space', () => expect(text('One.', 'Two\nlines.')).to.equal('One. Two lines.'))
  it('leaves out named sounds', () => {
    expect(text('[Music]', 'Hello [Applause] there', '[door slams] ♪')).to.equal('Hello there')
  })
  it("keeps an editor's words", () =>
    expect(text('He said [the minister] left')).to.equal('He said [the minister] left'))
  it('is empty for nothing', () => expect(text()).to.equal(''))
})
