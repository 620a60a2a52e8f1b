import { expect } from 'chai'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { instantClock } from '#test/doubles/instant-clock.ts'
import { readSpeech } from '#test/doubles/speech/recordings.ts'
import { type EngineHarness, engineHarness } from '../engine.harness.ts'
import type { SpeechEngine } from '../engine.ts'
import { wordErrorRate } from '../word-error-rate.ts'
import { pocketsphinxWorkers } from './definition.ts'
import { pocketsphinxEngine } from './engine.ts'

describe('speech-to-text by pocketsphinx', function () {
  this.timeout(60_000)
  let harness: EngineHarness
  let workers: WorkerPool
  let engine: SpeechEngine
  before(async () => {
    harness = await engineHarness()
    workers = pocketsphinxWorkers(harness.ports)
    engine = pocketsphinxEngine({ workers, clock: instantClock() })
  })
  after(async () => {
    await workers[Symbol.asyncDispose]()
    await harness[Symbol.asyncDispose]()
  })

  it('gets at most 35 % of the words of read speech wrong, with times and confidences', async () => {
    const spoken: string[] = []
    for (const { path } of readSpeech()) {
      const { language, segments, words = [] } = await harness.transcribe(engine, path)
      expect(language).to.equal('en')
      expect(segments[0]?.start).to.be.closeTo(0.3, 0.3)
      for (const word of words) expect(word.confidence).to.be.within(0, 1)
      expect(words.some(({ confidence = 1 }) => confidence < 0.9)).to.equal(true)
      expect(words.map(({ text }) => text).join(' ')).to.equal(segments.map(({ text }) => text).join(' '))
      spoken.push(...segments.map(({ text }) => text))
    }
    const reference = readSpeech().map(({ text }) => text)
    expect(wordErrorRate(reference.join(' '), spoken.join(' '))).to.be.at.most(0.35)
  })

  it('refuses languages other than English', async () => {
    const [clip] = readSpeech()
    const path = clip?.path ?? ''
    const { segments, transcribed } = await harness.transcribe(engine, path, { lang: 'en-GB' })
    expect(segments).to.have.length(1)
    expect(transcribed).to.be.greaterThan(1)
    const error = await failureOf(harness.transcribe(engine, path, { lang: 'de' }))
    expect(error).to.include({ code: 'media_unsupported', transient: false })
    expect((error as Error).message).to.include('English')
  })

  it('decodes a region again, and the request succeeds, if a worker is killed at work', async () => {
    const [clip] = readSpeech()
    const words = harness.transcribe(engine, clip?.path ?? '')
    while (workers.pids.length === 0) await new Promise(setImmediate)
    for (const pid of workers.pids) process.kill(pid, 'SIGKILL')
    expect((await words).segments).to.have.length(1)
  })
})
