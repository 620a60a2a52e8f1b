import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { StepError } from '#packages/errors/step-error.ts'
import { connect } from '#packages/openai/connect.ts'
import { failureOf } from '#packages/openai/failure.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { type Answer, readAnswer } from './answer.ts'
import type { ModelLimits } from './models.ts'

const endpointName = { kind: 'speech', purpose: 'no transcript can be made', variables: 'SPEECH' }

export type EndpointOptions = {
  /** Such as `https://api.openai.com/v1`; reached directly. */
  baseUrl: string
  /** Empty when the endpoint wants none. */
  apiKey: string
  model: string
  clock: Clock
  log: Logger
  /** How often one request waits for its turn when the endpoint says 429. */
  maxWaits?: number
  maxAnswerBytes?: number
}

export type EndpointRequest = {
  /** FLAC. */
  path: string
  format: ModelLimits['format']
  language: string | undefined
  /** Wait here for what a 429 asks, because other pieces of the same file are paid for already. */
  waitInPlace: boolean
  signal: AbortSignal
  deadlineAt: number
}

export type Endpoint = { transcribe(request: EndpointRequest): Promise<Answer> }

/** One `POST {baseUrl}/audio/transcriptions` at a time, with its errors told as StepErrors. */
export function speechEndpoint(options: EndpointOptions): Endpoint {
  const { baseUrl, apiKey, model, clock, log, maxWaits = 3, maxAnswerBytes = 32 * 1024 * 1024 } = options
  const client = connect({ baseUrl, apiKey, maxAnswerBytes })

  async function post({ path, format, language, signal, deadlineAt }: EndpointRequest): Promise<Answer> {
    const file = new File([await openAsBlob(path)], basename(path), { type: 'audio/flac' })
    const body = {
      file,
      model,
      response_format: format,
      ...(language ? { language } : {}),
      ...(format === 'diarized_json' ? { chunking_strategy: 'auto' as const } : {}),
    }
    const timeout = Math.max(1, deadlineAt - clock.now())
    try {
      return readAnswer(await client.audio.transcriptions.create(body, { signal, timeout }))
    } catch (error) {
      signal.throwIfAborted()
      throw failureOf(error, endpointName, log)
    }
  }

  async function transcribe(request: EndpointRequest): Promise<Answer> {
    for (let waits = 0; ; waits++) {
      try {
        return await post(request)
      } catch (error) {
        const seconds = error instanceof StepError ? error.retryAfterSeconds : undefined
        const fits = seconds !== undefined && clock.now() + seconds * 1000 < request.deadlineAt
        if (!fits || !request.waitInPlace || waits >= maxWaits) throw error
        await clock.sleep(seconds * 1000, request.signal)
      }
    }
  }
  return { transcribe }
}
