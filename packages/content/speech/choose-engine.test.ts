import { expect } from 'chai'
import { readConfig } from '#packages/foundation/config/config.ts'
import { ConfigError } from '#packages/foundation/config/variable.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { instantClock } from '#test/doubles/instant-clock.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { python } from '#test/doubles/python.ts'
import { modelStore } from '#test/doubles/speech/model-store.ts'
import { chooseEngine } from './choose-engine.ts'

describe('the choice of a speech engine', () => {
  const chosen = (environment: Record<string, string>, store = modelStore) =>
    chooseEngine(readConfig(environment), {
      python,
      modelStore: store,
      clock: instantClock(),
      log: keptLog().log,
      telemetry: noTelemetry,
    })
  const endpoint = { SPEECH_BASE_URL: 'http://127.0.0.1:1/v1' }

  it('takes the endpoint if there is one, else Whisper if there is a model, else pocketsphinx', async () => {
    expect(await chosen(endpoint)).to.include({ name: 'endpoint' })
    expect(await chosen({ WHISPER_MODEL: 'base' })).to.include({
      name: 'whisper',
      description: 'Whisper base: on this machine',
    })
    const rough = await chosen({}, '/absent')
    expect(rough.name).to.equal('pocketsphinx')
    expect(rough.passedOver.join()).to.contain('no model is there: run ops/setup')
  })

  it('takes the named one, or stops and says what to do', async () => {
    expect(await chosen({ ...endpoint, SPEECH_ENGINE: 'pocketsphinx' })).to.include({ name: 'pocketsphinx' })
    for (const [environment, words] of [
      [{ SPEECH_ENGINE: 'endpoint' }, 'SPEECH_BASE_URL is not set'],
      [{ SPEECH_ENGINE: 'whisper', WHISPER_MODEL: 'small' }, 'run ops/setup --speech-model small'],
      [{ SPEECH_ENGINE: 'parrot' }, 'endpoint, whisper, pocketsphinx, not parrot'],
    ] as const) {
      const error = await failureOf(chosen(environment))
      expect(error).to.be.instanceOf(ConfigError)
      expect((error as Error).message).to.contain(words)
    }
  })
})
