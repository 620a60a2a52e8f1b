import { readdir } from 'node:fs/promises'
import { expect } from 'chai'
import { Launcher } from '#packages/content/media/launcher.ts'
import { EndpointHealth } from '#packages/content/openai/endpoint-health.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { instantClock } from '#test/doubles/instant-clock.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { until } from '#test/doubles/service/until.ts'
import { synthesized } from '#test/doubles/speech/recordings.ts'
import {
  type SpeechEndpoint,
  type SpeechEndpointBehaviour,
  startSpeechEndpoint,
} from '#test/doubles/speech/speech-endpoint.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import type { SpeechInput, Stretch } from '../engine.ts'
import { type OpenAiEngineOptions, openAiEngine } from './engine.ts'

const never = new AbortController().signal

/** Three tones with pauses: sounds at 0, 5 and 10 s. */
const tones: Stretch[] = [0, 5, 10].map((start) => ({ start, end: start + 2 }))

describe('the engine for OpenAI-compatible endpoints', () => {
  const launcher = new Launcher()
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>
  let wavPath: string
  before(async () => {
    directory = await temporaryDirectory()
    wavPath = await synthesized(directory.path, 'tones', "aevalsrc='0.3*sin(2*PI*440*t)*lt(mod(t,5),2)':s=16000", 14)
  })
  after(async () => {
    await launcher[Symbol.asyncDispose]()
    await directory[Symbol.asyncDispose]()
  })

  async function setting(behaviour: SpeechEndpointBehaviour, options: Partial<OpenAiEngineOptions> = {}) {
    const endpoint = await startSpeechEndpoint(behaviour)
    const clock = instantClock()
    const { log, lines } = keptLog()
    const health = new EndpointHealth(clock, 'speech')
    const telemetry = new RecordingTelemetry()
    const own = await temporaryDirectory()
    const engine = openAiEngine({
      launcher,
      baseUrl: endpoint.baseUrl,
      apiKey: 'sk-secret',
      model: 'whisper-1',
      requestsAtOnce: 16,
      health,
      telemetry,
      clock,
      log,
      ...options,
    })
    const transcribed: number[] = []
    const transcribe = (input: Partial<SpeechInput> = {}) => {
      const deadlineAt = Date.now() + 60_000
      const onTranscribed = (seconds: number) => transcribed.push(seconds)
      const limits = { organization: 'org', directory: own.path, signal: never, deadlineAt, onTranscribed }
      const file = { wavPath, seconds: 14, regions: tones, lang: null, vocabulary: null, words: false }
      return engine.transcribe({ ...file, ...limits, ...input })
    }
    return {
      endpoint,
      clock,
      lines,
      health,
      telemetry,
      own,
      transcribed,
      transcribe,
      failure: (input: Partial<SpeechInput> = {}) => failureOf(transcribe(input)),
      async [Symbol.asyncDispose]() {
        await endpoint[Symbol.asyncDispose]()
        await own[Symbol.asyncDispose]()
      },
    }
  }
  const startsOf = ({ segments }: { segments: Stretch[] }) => segments.map(({ start }) => Math.round(start))

  it('sends a file inside the limits as FLAC in one request, and leaves no file behind', async () => {
    await using s = await setting({ language: 'portuguese' })
    const transcript = await s.transcribe({ lang: 'pt-BR' })
    expect(startsOf(transcript)).to.deep.equal([0, 5, 10])
    expect(transcript.language).to.equal('pt')
    expect(s.endpoint.requests).to.have.length(1)
    const authorization = 'Bearer sk-secret'
    expect(s.endpoint.requests[0]).to.include({
      format: 'verbose_json',
      model: 'whisper-1',
      language: 'pt',
      authorization,
    })
    expect(s.endpoint.requests[0]?.fileName).to.match(/\.flac$/)
    expect(await readdir(s.own.path)).to.deep.equal([])
  })

  /** Regions that are too far apart to be joined. */
  const manyRegions: Stretch[] = Array.from({ length: 7 }, (_, i) => ({ start: 2 * i, end: 2 * i + 0.5 }))
  const wholeSeconds = ({ requests }: SpeechEndpoint) => requests.map(({ seconds }) => Math.round(seconds))

  it("sends the pieces of a file all at once, up to an organization's limit of requests under way", async () => {
    await using s = await setting({ hang: true }, { model: 'gpt-4o-transcribe', requestsAtOnce: 14 })
    const stop = new AbortController()
    const stopped = s.failure({ regions: manyRegions, signal: stop.signal })
    await until('all are under way', () => s.endpoint.requests.length === 7)
    stop.abort(new Error('seen'))
    expect(await stopped).to.have.property('message', 'seen')
    const held = Promise.withResolvers<void>()
    await using bounded = await setting({ held: held.promise }, { model: 'gpt-4o-transcribe', requestsAtOnce: 4 })
    const transcribed = bounded.transcribe({ regions: manyRegions })
    await until('as many as it may have are under way', () => bounded.endpoint.underWay === 2)
    held.resolve()
    await transcribed
    expect(bounded.endpoint.requests).to.have.length(7)
    expect(bounded.endpoint.mostAtOnce).to.equal(2)
  })

  it('sends at most half a minute of a long file first, and its language with the other pieces', async () => {
    const long = await synthesized(directory.path, 'long', 'anullsrc=r=16000:cl=mono', 1500)
    const regions = [50, 400, 800, 1400].map((start) => ({ start, end: start + 15 }))
    await using s = await setting({ inventedText: 'Anything.', language: 'german' })
    const file = { wavPath: long, seconds: 1500, regions }
    expect((await s.transcribe(file)).segments).to.have.length(4)
    expect(wholeSeconds(s.endpoint)[0]).to.be.at.most(30)
    expect(s.endpoint.requests.map(({ language }) => language)).to.deep.equal([null, 'de', 'de', 'de'])
    s.endpoint.requests.length = 0
    await s.transcribe({ ...file, lang: 'de' })
    expect(Math.min(...wholeSeconds(s.endpoint)), 'a language that is known needs no short piece').to.be.above(30)
  })

  it('sends a model without times one region after another, each as one segment', async () => {
    await using s = await setting({}, { model: 'gpt-4o-transcribe' })
    const { segments, language } = await s.transcribe({ lang: 'de' })
    expect(segments.map(({ start, end }) => ({ start, end }))).to.deep.equal(tones)
    expect(language).to.equal('de')
    expect(s.endpoint.requests.map(({ format, seconds }) => [format, Math.round(seconds)])).to.deep.equal([
      ['json', 2],
      ['json', 2],
      ['json', 2],
    ])
  })

  it('asks diarizing models for speakers', async () => {
    await using s = await setting({}, { model: 'gpt-4o-transcribe-diarize' })
    const { segments } = await s.transcribe()
    expect(segments.map(({ speaker }) => speaker)).to.deep.equal(['A', 'A', 'A'])
    expect(s.endpoint.requests[0]).to.include({ format: 'diarized_json', chunkingStrategy: 'auto' })
  })

  it('requests word times only if they are wanted, and returns them from the start of the file', async () => {
    await using s = await setting({ maxBytes: 300_000, maxSeconds: 1400 })
    expect(await s.transcribe()).to.not.have.property('words')
    const { words } = await s.transcribe({ words: true })
    expect(s.endpoint.requests.map(({ granularities }) => granularities)).to.deep.equal([[], ['segment', 'word']])
    expect(words?.map(({ text }) => text)).to.deep.equal(['Sound', '0.', 'Sound', '1.', 'Sound', '2.'])
    expect(words?.map(({ start }) => Math.round(start))).to.deep.equal([0, 1, 5, 6, 10, 11])
  })

  it('gives a transcript without words if an unknown model refuses the request for them', async () => {
    await using s = await setting({ refusesWords: true }, { model: 'some-model' })
    expect(startsOf(await s.transcribe({ words: true }))).to.deep.equal([0, 5, 10])
    const formats = s.endpoint.requests.map(({ format, granularities }) => [format, granularities.length])
    expect(formats).to.deep.equal([
      ['verbose_json', 2],
      ['verbose_json', 0],
    ])
  })

  it('sends the vocabulary with each request, and reports how much was used: none if a model takes none', async () => {
    const vocabulary = 'Señora Dashwood'
    await using s = await setting({}, { model: 'gpt-4o-transcribe' })
    expect(await s.transcribe({ vocabulary })).to.include({ vocabularyHeeded: 15 })
    expect(s.endpoint.requests.map(({ prompt }) => prompt)).to.deep.equal(Array(3).fill(vocabulary))
    expect(await s.transcribe()).to.not.have.property('vocabularyHeeded')
    for (const model of ['gpt-4o-transcribe-diarize', 'some-model']) {
      await using without = await setting({ refusesPrompts: true }, { model })
      const transcript = await without.transcribe({ vocabulary })
      expect(startsOf(transcript), model).to.deep.equal([0, 5, 10])
      expect(transcript, model).to.not.have.property('vocabularyHeeded')
      expect(without.endpoint.requests.at(-1)).to.include({
        format: model === 'some-model' ? 'verbose_json' : 'diarized_json',
        prompt: null,
      })
    }
  })

  it('falls back to json if an unknown model refuses verbose_json, and remembers it', async () => {
    await using s = await setting({ refusedFormats: ['verbose_json'] }, { model: 'some-model' })
    expect(startsOf(await s.transcribe())).to.deep.equal([0, 5, 10])
    await s.transcribe()
    const formats = s.endpoint.requests.map(({ format }) => format)
    expect(formats).to.deep.equal(['verbose_json', ...Array(6).fill('json')])
  })

  it('falls back to regions if an endpoint answers text without times', async () => {
    await using s = await setting({ withoutSegments: true }, { model: 'some-model' })
    expect(startsOf(await s.transcribe())).to.deep.equal([0, 5, 10])
  })

  it('reports each transcribed piece, even if another fails', async () => {
    await using s = await setting({}, { model: 'gpt-4o-transcribe' })
    await s.transcribe()
    expect(s.transcribed).to.have.length(3)
    const lengths = tones.map(({ start, end }) => end - start)
    expect(s.transcribed.toSorted()).to.deep.equal(lengths.toSorted())
    s.endpoint.behaviour.fail = { times: 1, status: 503 }
    await s.failure()
    expect(s.transcribed.length).to.be.lessThan(6)
  })

  it('drops text outside of voice activity, and text that the model itself doubts', async () => {
    await using s = await setting({ text: 'Thank you for watching.' })
    const onlyTheSecond = { regions: tones.slice(1, 2) }
    expect(startsOf(await s.transcribe(onlyTheSecond))).to.deep.equal([5])
    s.endpoint.behaviour.measures = { no_speech_prob: 0.7, avg_logprob: -1.2 }
    expect((await s.transcribe()).segments).to.deep.equal([])
    s.endpoint.behaviour.measures = { no_speech_prob: 0.7, avg_logprob: -0.5 }
    expect((await s.transcribe()).segments).to.have.length(3)
    s.endpoint.behaviour.measures = { compression_ratio: 2.5 }
    expect((await s.transcribe()).segments).to.deep.equal([])
  })

  it('reports a refused key to the operator and not to the customer', async () => {
    await using s = await setting({ fail: { times: 1, status: 401 } })
    const error = await s.failure()
    expect(error).to.include({ code: 'upstream_error', transient: false })
    expect(`${error.stack} ${error.cause}`).to.not.include('sk-secret')
    expect(s.lines.join('')).to.include('SPEECH_API_KEY').and.not.include('sk-secret')
  })

  it('works with endpoints that need no key', async () => {
    await using s = await setting({}, { apiKey: '' })
    expect((await s.transcribe()).segments).to.have.length(3)
  })

  it('treats temporary failures as transient, with the wait that the endpoint requests', async () => {
    await using s = await setting({ fail: { times: 1, status: 503 } })
    expect(await s.failure()).to.include({ code: 'upstream_error', transient: true, retryAfterSeconds: undefined })
    s.endpoint.behaviour.fail = { times: 1, status: 429, headers: { 'retry-after': '7' } }
    expect(await s.failure()).to.include({ code: 'upstream_error', transient: true, retryAfterSeconds: 7 })
    s.endpoint.behaviour = { rawBody: '{"text": "cut o' }
    expect(await s.failure()).to.include({ code: 'upstream_error', transient: true })
    s.endpoint.behaviour = { rawBody: '{"text": "x", "segments": [{"start": "soon"}]}' }
    expect(await s.failure()).to.include({ code: 'upstream_error', transient: true })
    await s.endpoint[Symbol.asyncDispose]()
    expect(await s.failure()).to.include({ code: 'upstream_error', transient: true })
    expect(s.clock.slept).to.deep.equal([])
  })

  it('refuses a page, an empty answer, and more than its limit, instead of a transcript', async () => {
    await using s = await setting({})
    const unreadable = 'The speech endpoint gave an answer that cannot be read.'
    for (const rawBody of [
      '<html><body>Bad gateway</body></html>',
      '',
      '[]',
      `{"text": "${'a'.repeat(33 * 1024 ** 2)}"}`,
    ]) {
      s.endpoint.behaviour = { rawBody }
      const error = await s.failure()
      expect(error, rawBody.slice(0, 20)).to.include({ code: 'upstream_error', transient: true, message: unreadable })
    }
  })

  it('keeps all text of an endpoint that answers in nanoseconds', async () => {
    await using s = await setting({ timesPerSecond: 1e9 })
    const { segments, words } = await s.transcribe({ words: true })
    expect(startsOf({ segments })).to.deep.equal([0, 5, 10])
    expect(segments.map(({ text }) => text)).to.deep.equal(['Sound 0.', 'Sound 1.', 'Sound 2.'])
    expect(words?.map(({ start }) => Math.round(start))).to.deep.equal([0, 1, 5, 6, 10, 11])
    expect(s.endpoint.requests, 'in one request').to.have.length(1)
  })

  it('measures every call, with its sound, host and outcome, and warns until one succeeds again', async () => {
    await using s = await setting({ fail: { times: 1, status: 429, headers: { 'retry-after': '1' } } })
    const trace = newTraceparent(true)
    const call = (input: Partial<SpeechInput> = {}) => s.telemetry.within(trace, () => s.transcribe(input))
    const outcomes = () => s.telemetry.valuesOf(metrics.speechCallDuration).map(({ attributes }) => attributes)
    const measured = (outcome: string) => ({ 'video.outcome': outcome, 'server.address': '127.0.0.1' })
    await failureOf(call())
    expect(s.health.warnings.map(({ code }) => code)).to.deep.equal(['speech_endpoint_failing'])
    await call()
    expect(s.health.warnings).to.deep.equal([])
    s.endpoint.behaviour = { rawBody: '{' }
    await failureOf(call())
    s.endpoint.behaviour = { hang: true }
    // The deadline is long enough to cut the piece on a busy machine.
    await failureOf(call({ deadlineAt: Date.now() + 4000 }))
    s.endpoint.behaviour = { fail: { times: 2, status: 500 } }
    await failureOf(call())
    s.endpoint.behaviour.fail = { times: 1, status: 401 }
    await failureOf(call())
    await s.endpoint[Symbol.asyncDispose]()
    await failureOf(call())
    const ends = ['rate_limited', 'ok', 'unreadable', 'timeout', 'failed', 'denied', 'unreachable']
    expect(outcomes()).to.deep.equal(ends.map(measured))
    expect(s.telemetry.valuesOf(metrics.speechCallSound)).to.deep.equal(
      ends.map((outcome) => ({ value: 14, attributes: measured(outcome) })),
    )
    const spans = s.telemetry.named('speech call')
    expect(spans.map(({ attributes }) => attributes)).to.deep.equal(
      ends.map((outcome) => ({ ...measured(outcome), 'video.egress.route': 'direct', 'video.audio.seconds': 14 })),
    )
    expect(JSON.stringify(spans)).to.not.include('sk-secret').and.not.include('/v1')
  })

  it('waits in place for a 429 among many pieces, if that fits before the deadline', async () => {
    await using s = await setting(
      { fail: { times: 1, status: 429, headers: { 'retry-after': '2' } } },
      { model: 'gpt-4o-transcribe' },
    )
    expect(startsOf(await s.transcribe())).to.deep.equal([0, 5, 10])
    expect(s.clock.slept).to.deep.equal([2000])
    s.endpoint.behaviour.fail = { times: 1, status: 429, headers: { 'retry-after': '900' } }
    expect(await s.failure()).to.include({ transient: true, retryAfterSeconds: 900 })
  })

  it('ends at once when it is aborted, and at the deadline if the endpoint hangs', async () => {
    await using s = await setting({ hang: true })
    const stop = new AbortController()
    const aborted = s.failure({ signal: stop.signal })
    while (s.endpoint.requests.length === 0) await new Promise(setImmediate)
    stop.abort(new Error('no longer wanted'))
    expect(await aborted).to.have.property('message', 'no longer wanted')
    expect(await s.failure({ deadlineAt: Date.now() + 4000 })).to.include({ code: 'upstream_error', transient: true })
  })
})
