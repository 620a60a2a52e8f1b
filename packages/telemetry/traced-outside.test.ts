/** The decorators of what an attempt calls: yt-dlp, other tools, the speech engine, the model. */
import { expect } from 'chai'
import { StepError } from '#packages/errors/step-error.ts'
import type { Model, Question, Reply } from '#packages/extraction/model/model.ts'
import { tracedModel } from '#packages/extraction/model/traced-model.ts'
import type { OwnReader } from '#packages/platforms/ytdlp/create-reader.ts'
import type { VideoInfo } from '#packages/platforms/ytdlp/info.ts'
import type { ReaderWish } from '#packages/platforms/ytdlp/reader.ts'
import { tracedReader } from '#packages/platforms/ytdlp/traced-reader.ts'
import type { SpeechEngine, SpeechInput } from '#packages/speech/engine.ts'
import { tracedSpeechEngine } from '#packages/speech/traced-speech-engine.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { scriptedRoute } from '#test/doubles/scripted-route.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { metrics } from './metrics.ts'
import type { EndedSpan } from './telemetry.ts'
import { tracedTool } from './traced-tool.ts'
import { newTraceparent } from './traceparent.ts'

const { signal } = new AbortController()
const failure = new StepError('platform_blocked')

const told = ({ name, attributes, error }: EndedSpan) => ({ name, attributes, error })

describe('what an attempt calls', () => {
  let telemetry: RecordingTelemetry
  beforeEach(() => {
    telemetry = new RecordingTelemetry()
  })
  const within = <T>(work: () => Promise<T>): Promise<T> => telemetry.within(newTraceparent(true), work)

  it('is a span for each call of yt-dlp, with the platform and no video', async () => {
    const info = { title: 'a title' } as unknown as VideoInfo
    const reader: OwnReader = {
      info: async () => info,
      captions: async () => 'text',
      media: () => Promise.reject(failure),
      restingAccounts: [],
      pids: [17],
      [Symbol.asyncDispose]: async () => {},
    }
    const traced = tracedReader(reader, telemetry)
    const route = scriptedRoute(() => undefined)
    const wish: ReaderWish = { canonicalUrl: 'https://x.com/a/status/1', platform: 'x', route, signal }
    await within(async () => {
      expect(await traced.info(wish)).to.equal(info)
      expect(await traced.captions(wish, { language: 'en', automatic: false, ext: 'vtt' })).to.equal('text')
      const asked = { formatId: '1', path: '/tmp/a', maxBytes: 1, reserve: async () => {} }
      expect(await failureOf(traced.media(wish, asked))).to.equal(failure)
    })
    const attributes = { 'video.tool': 'yt-dlp', 'video.platform': 'x' }
    expect(telemetry.spans.map(told)).to.deep.equal([
      { name: 'yt-dlp info', attributes, error: undefined },
      { name: 'yt-dlp captions', attributes, error: undefined },
      { name: 'yt-dlp media', attributes, error: 'platform_blocked' },
    ])
    expect(traced.pids).to.deep.equal([17])
  })

  it('is a span for each run of a tool', async () => {
    const decode = tracedTool(telemetry, 'ffmpeg', 'decode-audio', async (path: string) => path.length)
    expect(await within(() => decode('/a/b'))).to.equal(4)
    expect(telemetry.spans.map(told)).to.deep.equal([
      { name: 'ffmpeg decode-audio', attributes: { 'video.tool': 'ffmpeg' }, error: undefined },
    ])
  })

  it('is a span for a transcription, whose seconds are counted as they come', async () => {
    const engine: SpeechEngine = {
      name: 'openai',
      model: 'whisper-1',
      secondsPerAudioSecond: 0.5,
      transcribe(input) {
        input.onTranscribed(20)
        input.onTranscribed(2.5)
        return Promise.reject(failure)
      },
    }
    const traced = tracedSpeechEngine(engine, telemetry)
    let seconds = 0
    const input = {
      onTranscribed: (more: number) => {
        seconds += more
      },
    } as SpeechInput
    await within(() => failureOf(traced.transcribe(input)))
    expect(seconds).to.equal(22.5)
    expect(telemetry.valuesOf(metrics.speechSeconds).map(({ value }) => value)).to.deep.equal([20, 2.5])
    const attributes = { 'video.tool': 'openai', 'gen_ai.request.model': 'whisper-1' }
    expect(telemetry.spans.map(told)).to.deep.equal([
      { name: 'openai transcribe', attributes, error: 'platform_blocked' },
    ])
    expect(traced.secondsPerAudioSecond).to.equal(0.5)
  })

  it('is a span for a call of the model, with its tokens and nothing of what was asked and answered', async () => {
    const shape = { format: 'prompt', frames: false } as const
    const reply: Reply = {
      outcome: 'answered',
      content: 'hidden answer',
      model: 'small-2026',
      tokens: { input: 70, output: 7 },
      shape,
    }
    const replies = [Promise.resolve(reply), Promise.resolve({ ...reply, tokens: undefined }), Promise.reject(failure)]
    const model: Model = { seesFrames: true, ask: () => replies.shift() as Promise<Reply> }
    const traced = tracedModel(model, 'small', telemetry)
    const question = { schema: { title: 'hidden schema' } } as unknown as Question
    await within(async () => {
      expect(await traced.ask(question)).to.equal(reply)
      await traced.ask(question)
      expect(await failureOf(traced.ask(question))).to.equal(failure)
    })
    const asked = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'small' }
    const [first, second, third] = telemetry.named('chat small')
    expect(first?.attributes).to.deep.equal({
      ...asked,
      'gen_ai.usage.input_tokens': 70,
      'gen_ai.usage.output_tokens': 7,
    })
    expect(second?.attributes).to.include(asked)
    expect(third?.error).to.equal('platform_blocked')
    expect(JSON.stringify(telemetry.spans)).to.not.contain('hidden')
    expect(telemetry.valuesOf(metrics.modelTokens)).to.deep.equal([
      { value: 70, attributes: { 'gen_ai.token.type': 'input' } },
      { value: 7, attributes: { 'gen_ai.token.type': 'output' } },
    ])
    const durations = telemetry.valuesOf(metrics.modelDuration).map(({ attributes }) => attributes['error.type'])
    expect(durations).to.deep.equal([undefined, undefined, 'platform_blocked'])
    expect(traced.seesFrames).to.equal(true)
  })
})
