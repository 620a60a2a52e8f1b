import { decorated } from '#packages/ports/decorated.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { SpeechEngine } from './engine.ts'

/** Makes each call of a speech engine a span, and counts the seconds of sound that it transcribes. */
export const tracedSpeechEngine = (engine: SpeechEngine, telemetry: Telemetry): SpeechEngine =>
  decorated(engine, {
    transcribe(input) {
      const attributes = { [names.tool]: engine.name, [names.genAiModel]: engine.model ?? undefined }
      const onTranscribed = (seconds: number): void => {
        telemetry.add(metrics.speechSeconds, seconds)
        input.onTranscribed(seconds)
      }
      return telemetry.inSpan({ name: `${engine.name} transcribe`, kind: 'client', attributes }, () =>
        engine.transcribe({ ...input, onTranscribed }),
      )
    },
  })
