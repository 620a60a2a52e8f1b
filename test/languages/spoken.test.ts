/** `npm run test:languages`: recorded voices of five languages (Asterisk's, from Debian: `ops/setup --dev`). */
import { globSync } from 'node:fs'
import { expect } from 'chai'
import { whisperHarness } from '#packages/content/speech/whisper/whisper.harness.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { makeWav } from '#test/doubles/speech/recordings.ts'

/** How each recording begins. */
const spoken = {
  en: 'if you would like to learn more',
  es: 'si usted desea obtener más',
  fr: 'si vous désirez avoir plus',
  it: 'se desideri testare',
  ru: 'если вы хотите получить',
}

describe('the language of speech', function () {
  this.timeout(120_000)
  const whisper = openedForAll(() => whisperHarness())

  for (const [language, beginning] of Object.entries(spoken))
    it(`is found, and understood: ${language}`, async () => {
      const [recording] = globSync(`/usr/share/asterisk/sounds/${language}_*/demo-instruct.gsm`)
      if (!recording) throw new Error('the recorded voices are installed by ops/setup --dev')
      const path = await makeWav(whisper.directory, language, ['-i', recording, '-t', '30'])
      const heard = await whisper.transcribe(whisper.engine, path)
      expect(heard.language).to.equal(language)
      expect(heard.heard?.probability).to.be.above(0.9)
      const text = heard.segments.map((segment) => segment.text).join(' ')
      expect(text.toLowerCase()).to.contain(beginning)
      expect(heard.words?.length).to.be.above(30)
    })
})
