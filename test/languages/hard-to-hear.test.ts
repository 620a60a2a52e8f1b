/** Part of `npm run test:languages`: speech that is hard to hear. It takes long. */
import { expect } from 'chai'
import { whisperHarness } from '#packages/content/speech/whisper/whisper.harness.ts'
import { wordErrorRate } from '#packages/content/speech/word-error-rate.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { readSpeech, spokenFilm, worse } from '#test/doubles/speech/recordings.ts'

describe('speech that is hard to hear', function () {
  this.timeout(180_000)
  const whisper = openedForAll(() => whisperHarness())

  const said = (all: readonly { text: string }[]) => all.map(({ text }) => text).join(' ')

  for (const [name, filter] of Object.entries(worse).filter(([name]) => name !== 'by telephone'))
    it(`has at most 10 % of its words wrong ${name}`, async () => {
      const path = await spokenFilm(whisper.directory, name.replaceAll(' ', '-'), filter)
      const { segments } = await whisper.transcribe(whisper.engine, path)
      expect(wordErrorRate(said(readSpeech()), said(segments))).to.be.at.most(0.1)
    })
})
