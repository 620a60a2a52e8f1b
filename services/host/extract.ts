import { Validation } from '#packages/content/extraction/answer/validation.ts'
import { createExtraction } from '#packages/content/extraction/extraction.ts'
import { tracedModel } from '#packages/content/extraction/model/traced-model.ts'
import { newBoundary } from '#packages/content/extraction/prompt/data-block.ts'
import { countedMediaCache } from '#packages/content/media/counted-media-cache.ts'
import { type FramesOptions, readFrames } from '#packages/content/media/read-frames.ts'
import { EndpointHealth } from '#packages/content/openai/endpoint-health.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Warned } from '#packages/foundation/readiness/readiness.ts'
import type { StepWork } from '#packages/jobs/processing/step.ts'
import { tracedTool } from '#packages/telemetry/traced-tool.ts'
import { cachedFrames } from '#services/extract/cached-frames.ts'
import { extractStep } from '#services/extract/step.ts'
import { measured } from './open-telemetry.ts'
import type { PaidStepPorts } from './outside.ts'

/** The extract step, and the outside services that it depends on. */
export type Extract = AsyncDisposable & { step: StepWork; outside: readonly Warned[] }

/** The extract step with the configured model. Disposing of it ends the thread that validates answers. */
export async function createExtract(config: Config, ports: PaidStepPorts): Promise<Extract> {
  const { llmBaseUrl: baseUrl, llmModel: model, llmApiKey, llmMaxFrames: maxFrames } = config
  // Jobs may have been accepted while a model was configured.
  if (baseUrl === undefined) return { step: withoutModel, outside: [], async [Symbol.asyncDispose]() {} }
  const { clock, log, telemetry, platforms, launcher } = ports
  // The client is slow to load, so only a process that uses it loads it.
  const { chatModel } = await import('#packages/content/extraction/model/chat-model.ts')
  const health = new EndpointHealth(clock, 'model')
  const chat = chatModel({ baseUrl, model, apiKey: llmApiKey ?? '', health, clock, log })
  const validation = new Validation()
  const extraction = createExtraction({
    model: measured(telemetry, chat, (chat) => tracedModel(chat, { name: model, baseUrl }, telemetry)),
    problems: (schema, answer, asker) => validation.problems(schema, answer, asker),
    newBoundary,
    contextTokens: config.llmContextTokens,
    maxFrames,
  })
  const read = (path: string, options: Omit<FramesOptions, 'launcher'>) => readFrames(path, { ...options, launcher })
  const framesOf = cachedFrames({
    clock,
    cache: measured(telemetry, ports.cache, countedMediaCache('frames')),
    openMedia: platforms.openMedia,
    readFrames: measured(telemetry, read, (read) => tracedTool(telemetry, 'ffmpeg', 'read-frames', read)),
    maxFrames,
    maxSeconds: config.mediaMaxSeconds,
  })
  const step = ports.unpaid.within(extractStep({ extraction, framesOf }))
  return { step, outside: [health], [Symbol.asyncDispose]: () => validation[Symbol.asyncDispose]() }
}

const withoutModel: StepWork = async () => {
  throw new StepError('upstream_error', { message: 'This service has no language model any more.' })
}
