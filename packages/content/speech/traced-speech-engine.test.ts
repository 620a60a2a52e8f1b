import { expect } from 'chai'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import type { EndedSpan } from '#packages/telemetry/telemetry.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import type { SpeechEngine, SpeechInput } from './engine.ts'
import { tracedSpeechEngine } from './traced-speech-engine.ts'

const failure = new StepError('platform_blocked')
const told = ({ name, attributes, error }: EndedSpan) => ({ name, attributes, error })

describe('a speech engine with tracing', () => {
  const telemetry = new RecordingTelemetry()

  it('has a span for each transcription, and counts its seconds as they come', async () => {
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
    await telemetry.within(newTraceparent(true), () => failureOf(traced.transcribe(input)))
    expect(seconds).to.equal(22.5)
    expect(telemetry.valuesOf(metrics.speechSeconds).map(({ value }) => value)).to.deep.equal([20, 2.5])
    const attributes = { 'video.tool': 'openai', 'gen_ai.request.model': 'whisper-1' }
    expect(telemetry.spans.map(told)).to.deep.equal([
      { name: 'openai transcribe', attributes, error: 'platform_blocked' },
    ])
    expect(traced.secondsPerAudioSecond).to.equal(0.5)
  })
})
