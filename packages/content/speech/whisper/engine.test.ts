import { copyFile, mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { modelStore as store } from '#test/doubles/speech/model-store.ts'
import { readSpeech, spokenFilm, synthesized, worse } from '#test/doubles/speech/recordings.ts'
import { soundsIn } from '#test/doubles/speech/sounds.ts'
import { withoutSpeech } from '#test/doubles/speech/without-speech.ts'
import type { SpeechEngine, Transcript } from '../engine.ts'
import { wordErrorRate } from '../word-error-rate.ts'
import { whisperTraits, whisperWorkers } from './definition.ts'
import { whisperEngine } from './engine.ts'
import { openModel, type WhisperModel } from './model.ts'
import { type WhisperHarness, whisperHarness } from './whisper.harness.ts'

describe('speech-to-text by Whisper', function () {
  this.timeout(90_000)
  let harness: WhisperHarness
  let model: WhisperModel
  let workers: WorkerPool
  let engine: SpeechEngine

  const engineOf = (pool: WorkerPool, maxWorkers = 2): SpeechEngine =>
    whisperEngine({ workers: pool, maxWorkers, model, traits: whisperTraits(model, maxWorkers) })

  /** The film unchanged, and by telephone. `npm run test:languages` covers other difficult speech. */
  const filters = { film: 'anull', 'by telephone': worse['by telephone'] }

  /** The film in both forms, transcribed together, so that both workers are busy. */
  let films: Record<string, { path: string; heard: Transcript }>

  before(async () => {
    harness = await whisperHarness()
    ;({ model, workers, engine } = harness)
    const all = Object.entries(filters).map(async ([name, filter]) => {
      const path = await spokenFilm(harness.directory, name.replaceAll(' ', '-'), filter)
      return [name, { path, heard: await harness.transcribe(engine, path) }] as const
    })
    films = Object.fromEntries(await Promise.all(all))
  })
  after(() => harness[Symbol.asyncDispose]())

  const clips = readSpeech()
  const reference = clips.map(({ text }) => text).join(' ')
  const textOf = ({ segments }: Pick<Transcript, 'segments'>): string => segments.map(({ text }) => text).join(' ')
  const rateOf = (heard: Transcript): number => wordErrorRate(reference, textOf(heard))
  const filmNamed = (name: string) => {
    const film = films[name]
    if (film === undefined) throw new Error(`no film ${name}`)
    return film
  }

  it('gets at most 4 % of the film’s words wrong, with times and confidences, and finds its language', async () => {
    const { path, heard } = filmNamed('film')
    expect(rateOf(heard)).to.be.at.most(0.04)
    expect(heard.language).to.equal('en')
    expect(heard.heard?.probability).to.be.above(0.9)
    const { words = [], segments } = heard
    for (const word of words) expect(word.confidence).to.be.within(0, 1)
    for (const [i, { start, end }] of words.entries()) {
      expect(end).to.be.at.least(start)
      if (i > 0) expect(start).to.be.at.least(words[i - 1]?.start ?? 0)
    }
    expect(words.length).to.be.within(65, 80)
    expect(segments[0]?.start).to.equal(words[0]?.start)
    // speech begins where sound begins
    for (const { start } of (await soundsIn(path)).sounds) {
      const nearest = Math.min(...words.map((word) => Math.abs(word.start - start)))
      expect(nearest, `a word at ${start} s`).to.be.at.most(0.5)
    }
  })

  it('gets at most 10 % of the words wrong by telephone', () => {
    expect(rateOf(filmNamed('by telephone').heard)).to.be.at.most(0.1)
  })

  it('lends all workers to one organization while no other waits', () => {
    expect(workers.pids).to.have.length(2)
  })

  it("spells a name as the vocabulary has it, even after Whisper's first window of half a minute", async () => {
    const [opening, ...others] = clips
    if (opening === undefined) throw new Error('there are no clips')
    const path = await spokenFilm(harness.directory, 'name-at-the-end', 'anull', [...others, opening])
    const vocabulary = 'Norland Park, Jon Dashwoode'
    const given = await harness.transcribe(engineOf(workers, 1), path, { vocabulary, lang: 'en' })
    const { heard } = filmNamed('film')
    expect([given.vocabularyHeeded, heard.vocabularyHeeded]).to.deep.equal([vocabulary.length, undefined])
    expect(textOf(heard)).to.contain('John Dashwood ').and.to.not.contain('Jon Dashwoode')
    expect(textOf(given)).to.contain('Jon Dashwoode')
  })

  it('makes no text of sounds without speech, even if voice detection let them pass', async () => {
    // all twelve are tested with voice detection: noise costs Whisper five times as much as speech
    for (const [name, description] of Object.entries(withoutSpeech).slice(0, 2)) {
      const path = await synthesized(harness.directory, 'silent', description, 8)
      const { segments } = await harness.transcribe(engine, path, { regions: [{ start: 1, end: 7 }], lang: 'en' })
      expect(segments, name).to.deep.equal([])
    }
  })

  it('refuses a language that the model does not know', async () => {
    const error = await failureOf(harness.transcribe(engine, clips[0]?.path ?? '', { lang: 'ga' }))
    expect(error).to.include({ code: 'media_unsupported', transient: false })
  })

  it('transcribes a piece again if its worker is killed at work, and ends at once when aborted', async () => {
    const path = clips[0]?.path ?? ''
    const heard = harness.transcribe(engine, path)
    await new Promise((resolve) => setTimeout(resolve, 300))
    for (const pid of workers.pids) process.kill(pid, 'SIGKILL')
    expect((await heard).segments).to.have.length.above(0)
    const stop = new AbortController()
    const stopped = failureOf(harness.transcribe(engine, path, { signal: stop.signal }))
    await new Promise((resolve) => setTimeout(resolve, 300))
    stop.abort(new Error('the claim was lost'))
    expect(await stopped).to.have.property('message', 'the claim was lost')
    expect(workers.pids.length).to.be.at.most(2)
  })

  it('fails temporarily, and says why, if memory is short or the model is damaged', async () => {
    const path = clips[0]?.path ?? ''
    await using few = whisperWorkers(harness.ports, { model: { ...model, bytes: -140_000_000 }, maxWorkers: 1 })
    expect(await failureOf(harness.transcribe(engineOf(few), path))).to.include({
      code: 'internal_error',
      transient: true,
    })
    expect(JSON.stringify(harness.lines)).to.match(/memory|alloc/i)

    const folder = join(harness.directory, 'damaged')
    await mkdir(folder)
    for (const name of ['tokenizer.json', 'vocabulary.txt'])
      await copyFile(join(model.folder, name), join(folder, name))
    for (const name of ['config.json', 'model.bin']) await writeFile(join(folder, name), '{}')
    const own = await openModel({ store, name: folder, ...harness.ports })
    await truncate(join(folder, 'model.bin'), 1)
    expect(await failureOf(own.assertWhole())).to.include({ code: 'internal_error', transient: true })
    await using damaged = whisperWorkers(harness.ports, { model: own, maxWorkers: 1 })
    const careless = whisperEngine({
      workers: damaged,
      maxWorkers: 1,
      model: { ...own, assertWhole: async () => {} },
      traits: whisperTraits(own, 1),
    })
    expect(await failureOf(harness.transcribe(careless, path))).to.include({ code: 'internal_error', transient: true })
  })
})
