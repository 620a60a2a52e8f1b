import type { Config } from '#packages/config/config.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { Validation } from '#packages/extraction/answer/validation.ts'
import { createExtraction } from '#packages/extraction/extraction.ts'
import { newBoundary } from '#packages/extraction/prompt/data-block.ts'
import type { MediaCache } from '#packages/media/media-cache.ts'
import { readFrames } from '#packages/media/read-frames.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { StepWork } from '#packages/processing/step.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { keptFrames } from '#services/extract/kept-frames.ts'
import { extractStep } from '#services/extract/step.ts'

type Ports = { clock: Clock; log: Logger; platforms: Platforms; cache: MediaCache }

/** The extract step with the model that is configured. Disposing of it ends the thread that holds answers to schemas. */
export async function createExtract(config: Config, ports: Ports): Promise<{ step: StepWork } & AsyncDisposable> {
  const { llmBaseUrl: baseUrl, llmModel: model, llmApiKey, llmMaxFrames: maxFrames } = config
  // jobs may have been taken on while there was a model
  if (baseUrl === undefined) return { step: withoutModel, async [Symbol.asyncDispose]() {} }
  const { clock, log, platforms, cache } = ports
  // as with speech: only who uses the client pays for loading it
  const { chatModel } = await import('#packages/extraction/model/chat-model.ts')
  const validation = new Validation()
  const extraction = createExtraction({
    model: chatModel({ baseUrl, model, apiKey: llmApiKey ?? '', clock, log }),
    problems: (schema, answer, asker) => validation.problems(schema, answer, asker),
    newBoundary,
    contextTokens: config.llmContextTokens,
    maxFrames,
  })
  const { openMedia } = platforms
  const framesOf = keptFrames({ clock, cache, openMedia, readFrames, maxFrames, maxSeconds: config.mediaMaxSeconds })
  return { step: extractStep({ extraction, framesOf }), [Symbol.asyncDispose]: () => validation[Symbol.asyncDispose]() }
}

const withoutModel: StepWork = async () => {
  throw new StepError('upstream_error', { message: 'This service has no language model any more.' })
}
