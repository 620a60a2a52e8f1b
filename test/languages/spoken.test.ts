/** `npm run test:languages`: recorded voices of five languages (Asterisk's, from Debian: `ops/setup --dev`). */
import { globSync } from 'node:fs'
import { expect } from 'chai'
import { type EngineHarness, engineHarness } from '#packages/speech/engine.harness.ts'
import type { SpeechEngine } from '#packages/speech/engine.ts'
import { whisperTraits } from '#packages/speech/whisper/definition.ts'
import { whisperEngine } from '#packages/speech/whisper/engine.ts'
import { openModel } from '#packages/speech/whisper/model.ts'
import { whisperWorkers } from '#packages/speech/whisper/whisper-workers.ts'
import type { WorkerPool } from '#packages/workers/worker-pool.ts'
import { modelStore } from '#test/doubles/speech/model-store.ts'
import { makeWav } from '#test/doubles/speech/recordings.ts'

/** How each begins. */
const spoken = {
  en: 'if you would like to learn more',
  es: 'si usted desea obtener más',
  fr: 'si vous désirez avoir plus',
  it: 'se desideri testare',
  ru: 'если вы хотите получить',
}

describe('the language of speech', function () {
  this.timeout(120_000)
  let harness: EngineHarness
  let workers: WorkerPool
  let engine: SpeechEngine
  before(async () => {
    harness = await engineHarness()
    const model = await openModel({ store: modelStore, name: 'base', ...harness.ports })
    workers = whisperWorkers(harness.ports, { model, maxWorkers: 2 })
    const traits = whisperTraits(model, 2)
    engine = whisperEngine({ workers, maxWorkers: 2, model, traits })
  })
  after(async () => {
    await workers[Symbol.asyncDispose]()
    await harness[Symbol.asyncDispose]()
  })

  for (const [language, beginning] of Object.entries(spoken))
    it(`is found, and understood: ${language}`, async () => {
      const [recording] = globSync(`/usr/share/asterisk/sounds/${language}_*/demo-instruct.gsm`)
      if (!recording) throw new Error('the recorded voices are installed by ops/setup --dev')
      const path = await makeWav(harness.directory, language, ['-i', recording, '-t', '30'])
      const heard = await harness.transcribe(engine, path)
      expect(heard.language).to.equal(language)
      expect(heard.heard?.probability).to.be.above(0.9)
      const text = heard.segments.map((segment) => segment.text).join(' ')
      expect(text.toLowerCase()).to.contain(beginning)
      expect(heard.words?.length).to.be.above(30)
    })
})
