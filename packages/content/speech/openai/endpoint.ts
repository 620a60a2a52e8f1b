import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { type EndpointOptions, OpenAiEndpoint, type Turn } from '#packages/content/openai/endpoint.ts'
import { type Outcome, outcomeOf } from '#packages/content/openai/outcome.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { ModelLimits } from './models.ts'
import { type Answer, readAnswer } from './read-answer.ts'

type Call = {
  /** The host of the endpoint. No other part of its URL is recorded. */
  host: string
  /** Length of the sent sound. */
  seconds: number
  signal: AbortSignal
}

/** Calls the endpoint in a span, and records its duration, its amount of sound and its outcome. */
const measuredCall = <T>(telemetry: Telemetry, { host, seconds, signal }: Call, call: () => Promise<T>): Promise<T> => {
  // The endpoint is the operator's own, like its model, and is reached directly.
  const attributes = { [names.serverAddress]: host, [names.egressRoute]: 'direct', [names.audioSeconds]: seconds }
  return telemetry.inSpan({ name: 'speech call', kind: 'client', attributes }, async (set) => {
    const startedAt = performance.now()
    let outcome: Outcome = 'ok'
    try {
      return await call()
    } catch (error) {
      outcome = outcomeOf(error, signal)
      throw error
    } finally {
      const measured = { [names.outcome]: outcome, [names.serverAddress]: host }
      set({ [names.outcome]: outcome })
      telemetry.record(metrics.speechCallDuration, (performance.now() - startedAt) / 1000, measured)
      telemetry.add(metrics.speechCallSound, seconds, measured)
    }
  })
}

const endpointName = { kind: 'speech', purpose: 'no transcript can be made', variables: 'SPEECH' }
const MAX_ANSWER_BYTES = 32 * 1024 * 1024
/** A call is slow if it takes longer than this plus the length of the sound, milliseconds. */
const OVERHEAD_MS = 10_000

export type SpeechEndpointOptions = EndpointOptions & { telemetry: Telemetry }

export type EndpointRequest = Turn & {
  /** A FLAC file. */
  path: string
  /** Its length. */
  seconds: number
  format: ModelLimits['format']
  language: string | undefined
  /** Names and terms to expect. */
  vocabulary: string | null
  /** Whether the times of single words are requested. Only verbose_json has them. */
  words: boolean
}

export type Endpoint = { transcribe(request: EndpointRequest): Promise<Answer> }

/** One `POST {baseUrl}/audio/transcriptions` at a time, with its errors as StepErrors. */
export function speechEndpoint(options: SpeechEndpointOptions): Endpoint {
  const { model, telemetry, baseUrl } = options
  const host = new URL(baseUrl).hostname
  const endpoint = new OpenAiEndpoint(options, endpointName, MAX_ANSWER_BYTES)
  return {
    async transcribe({ path, seconds, format, language, vocabulary, words, ...turn }) {
      const body = {
        file: new File([await openAsBlob(path)], basename(path), { type: 'audio/flac' }),
        model,
        response_format: format,
        ...(language ? { language } : {}),
        ...(vocabulary === null ? {} : { prompt: vocabulary }),
        ...(format === 'verbose_json' && words
          ? { timestamp_granularities: ['segment' as const, 'word' as const] }
          : {}),
        ...(format === 'diarized_json' ? { chunking_strategy: 'auto' as const } : {}),
      }
      const call = { host, seconds, signal: turn.signal }
      return endpoint.ask(
        (client, limits) =>
          measuredCall(telemetry, call, async () =>
            readAnswer(await client.audio.transcriptions.create(body, limits), seconds),
          ),
        { ...turn, slowAfterMs: OVERHEAD_MS + seconds * 1000 },
      )
    },
  }
}
