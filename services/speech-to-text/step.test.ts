import { readdir } from 'node:fs/promises'
import { expect } from 'chai'
import { decodeAudio } from '#packages/content/media/decode-audio.ts'
import { Launcher } from '#packages/content/media/launcher.ts'
import { EndpointHealth } from '#packages/content/openai/endpoint-health.ts'
import type { SpeechEngine } from '#packages/content/speech/engine.ts'
import { openAiEngine } from '#packages/content/speech/openai/engine.ts'
import { pocketsphinxWorkers } from '#packages/content/speech/pocketsphinx/definition.ts'
import { pocketsphinxEngine } from '#packages/content/speech/pocketsphinx/engine.ts'
import { findSpeech, voiceWorkers } from '#packages/content/speech/voice/find-speech.ts'
import { results } from '#packages/domain/job/job.fixture.ts'
import type { WorkerPool } from '#packages/foundation/workers/worker-pool.ts'
import type { StepContext } from '#packages/jobs/processing/step.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { instantClock } from '#test/doubles/instant-clock.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { python } from '#test/doubles/python.ts'
import { readSpeech, synthesized } from '#test/doubles/speech/recordings.ts'
import { type SpeechEndpoint, startSpeechEndpoint } from '#test/doubles/speech/speech-endpoint.ts'
import { stepContext } from '#test/doubles/step-context.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { type SpeechToTextOptions, speechToTextStep } from './step.ts'

const clock = instantClock()
const { log } = keptLog()

describe('the speech-to-text step', function () {
  this.timeout(60_000)
  const open = new AsyncDisposableStack()
  const launcher = open.use(new Launcher())
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  let attempts: Awaited<ReturnType<typeof temporaryDirectory>>
  let voice: WorkerPool
  let endpoint: SpeechEndpoint
  let remote: SpeechEngine
  let local: SpeechEngine
  before(async () => {
    directory = open.use(await temporaryDirectory())
    attempts = open.use(await temporaryDirectory())
    const ports = { python, clock, log, telemetry: noTelemetry }
    const workers = open.use(pocketsphinxWorkers(ports))
    voice = open.use(voiceWorkers(ports))
    endpoint = await startSpeechEndpoint()
    open.defer(() => endpoint[Symbol.asyncDispose]())
    const options = { baseUrl: endpoint.baseUrl, apiKey: 'none', model: 'whisper-1', requestsAtOnce: 16 }
    remote = openAiEngine({
      ...options,
      launcher,
      health: new EndpointHealth(clock, 'speech'),
      telemetry: noTelemetry,
      clock,
      log,
    })
    local = pocketsphinxEngine({ workers, clock })
  })
  after(() => open.disposeAsync())
  beforeEach(() => {
    endpoint.behaviour = {}
  })
  afterEach(async () => {
    expect(await readdir(attempts.path), 'every attempt removes its directory').to.deep.equal([])
  })

  type Run = Partial<Pick<StepContext, 'deadlineAt' | 'signal'> & Pick<SpeechToTextOptions, 'maxResultBytes'>> & {
    durationSeconds?: number
    opened?: () => void
  }
  async function run(
    path: string,
    engine: SpeechEngine,
    { maxResultBytes, durationSeconds, opened, ...more }: Run = {},
  ) {
    const openMedia = async () => {
      opened?.()
      return { path, async [Symbol.asyncDispose]() {} }
    }
    const step = speechToTextStep({
      clock,
      engine,
      openMedia,
      decodeAudio: (input, output, limits) => decodeAudio(input, output, { ...limits, launcher }),
      findSpeech: findSpeech({ workers: voice }),
      temporaryDirectory: attempts.path,
      ...(maxResultBytes && { maxResultBytes }),
    })
    const url = 'http://cdn.example.com/a.mp4'
    const video = { ...results.fetched.data, durationSeconds: durationSeconds ?? null }
    const result = await step(stepContext({ url }, { video, log, ...more }))
    if (result.type !== 'SpeechTranscribed') throw new Error(result.type)
    return result.data
  }
  const clip = () => readSpeech()[0]?.path ?? ''

  it('records the transcript, the engine and the length of the sound', async () => {
    const heard = await run(clip(), remote)
    expect(heard).to.include({
      language: 'en',
      source: 'speech',
      engine: 'openai',
      model: 'whisper-1',
      audioSeconds: 7.1,
    })
    expect(heard.segments).to.have.length(1)
    const rough = await run(clip(), local)
    expect(rough).to.include({ language: 'en', engine: 'pocketsphinx', model: 'en-us' })
    expect(rough.words).to.have.length.above(10)
  })

  it('records the language that the engine detected, and its confidence in it', async () => {
    const word = (confidence?: number) => ({
      start: 0,
      end: 1,
      text: 'a',
      ...(confidence !== undefined && { confidence }),
    })
    const heard = { language: 'en', probability: 0.98 }
    const segments = [{ start: 0, end: 1, text: 'a a a' }]
    const engineOf = (transcript: object): SpeechEngine => ({
      name: 'made-up',
      model: null,
      secondsPerAudioSecond: 0,
      transcribe: async () => ({ language: 'en', segments, ...transcript }),
    })
    const sure = engineOf({ heard, words: [word(0.9), word(0.6), word()] })
    expect(await run(clip(), sure)).to.deep.include({ heard, confidence: 0.75 })
    expect(await run(clip(), sure, { maxResultBytes: 1 }), 'too large for words').to.include({ confidence: 0.75 })
    expect(await run(clip(), engineOf({ words: [word()] }))).to.not.have.any.keys('heard', 'confidence')
  })

  it('leaves out words if the result would be too large', async () => {
    const heard = await run(clip(), local, { maxResultBytes: 600 })
    expect(heard.segments).to.have.length(1)
    expect(heard).to.not.have.property('words')
  })

  it('reports silence and music as no_speech with both engines, without a call to the endpoint', async () => {
    endpoint.behaviour = { inventedText: 'Thank you for watching.' }
    const before = endpoint.requests.length
    const silence = await synthesized(directory.path, 'silence', 'anullsrc=r=16000:cl=mono')
    const chord = await synthesized(directory.path, 'chord', "aevalsrc='0.2*sin(523*PI*t)+0.2*sin(784*PI*t)':s=16000")
    for (const path of [silence, chord])
      for (const engine of [remote, local])
        expect(await failureOf(run(path, engine))).to.include({ code: 'no_speech', transient: false })
    expect(endpoint.requests).to.have.length(before)
  })

  it('reports no_speech if the endpoint has invented all of the text', async () => {
    endpoint.behaviour = { measures: { no_speech_prob: 0.9, avg_logprob: -1.5 } }
    expect(await failureOf(run(clip(), remote))).to.include({ code: 'no_speech' })
  })

  it('refuses a video that needs more than the whole window, before it opens the media', async () => {
    const opened = () => Promise.reject(new Error('opened'))
    expect(await failureOf(run(clip(), local, { durationSeconds: 2400, opened }))).to.include({
      code: 'media_too_long',
    })
  })

  it('begins a video that fits into the whole window, however late', async () => {
    const deadlineAt = Date.now() + 10_000
    expect((await run(clip(), remote, { durationSeconds: 1100, deadlineAt })).segments).to.have.length(1)
  })

  it('stops at once when it is aborted', async () => {
    endpoint.behaviour = { hang: true }
    const stop = new AbortController()
    const before = endpoint.requests.length
    const stopped = failureOf(run(clip(), remote, { signal: stop.signal }))
    while (endpoint.requests.length === before) await new Promise(setImmediate)
    stop.abort(new Error('the claim was lost'))
    expect(await stopped).to.have.property('message', 'the claim was lost')
  })
})
