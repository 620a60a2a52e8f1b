import { EndpointHealth } from '#packages/content/openai/endpoint-health.ts'
import { nothingUsedYet } from '#packages/domain/job/used.ts'
import type { StepError } from '#packages/foundation/errors/step-error.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { keptLog } from '#test/doubles/kept-log.ts'
import { type ChatEndpointBehaviour, startChatEndpoint } from '#test/doubles/llm/chat-endpoint.ts'
import { untold } from '#test/doubles/untold.ts'
import { Validation } from './answer/validation.ts'
import { createExtraction, type ExtractionOptions } from './extraction.ts'
import { chatModel } from './model/chat-model.ts'
import type { Material, Request } from './prompt/build-prompt.ts'
import { newBoundary } from './prompt/data-block.ts'

/** Must never appear in a log or a message. */
export const apiKey = 'sk-extraction-secret'

/** A film with one spoken text, and pictures, which are only bytes. */
export const materialOf = (said: string, pictures = 2): Material => ({
  video: {
    canonicalUrl: 'https://cdn.example.com/film.mp4',
    platform: 'direct',
    metadata: { ...untold, title: 'A film', author: 'Somebody' },
    durationSeconds: 75,
    liveState: 'none',
    captionTracks: [],
    formats: [],
  },
  transcript: { language: 'en', segments: [{ start: 3, end: 5, text: said }] },
  frames: Array.from({ length: pictures }, (_, index) => ({ seconds: index * 61, jpeg: Buffer.from(`jpeg ${index}`) })),
})

export const summary = {
  type: 'object',
  properties: { summary: { type: 'string' } },
  required: ['summary'],
  additionalProperties: false,
}

/** A clock that advances when something sleeps. */
function skippingClock() {
  let ahead = 0
  const slept: number[] = []
  return {
    slept,
    now: () => Date.now() + ahead,
    async sleep(ms: number) {
      slept.push(ms)
      ahead += ms
    },
    advance(ms: number) {
      ahead += ms
    },
  }
}

export type ExtractionHarness = Awaited<ReturnType<typeof startExtractionHarness>>

/** The extraction of the service, with a stand-in for the endpoint. */
export async function startExtractionHarness(
  behaviour: ChatEndpointBehaviour = {},
  options: Partial<ExtractionOptions> = {},
) {
  const endpoint = await startChatEndpoint(behaviour)
  const clock = skippingClock()
  const validation = new Validation()
  const { log, lines } = keptLog()
  const model = chatModel({
    baseUrl: endpoint.baseUrl,
    apiKey,
    model: 'stand-in',
    health: new EndpointHealth(clock, 'model'),
    clock,
    log,
  })
  const extraction = createExtraction({
    model,
    problems: (schema, answer, asker) => validation.problems(schema, answer, asker),
    newBoundary,
    contextTokens: 100_000,
    maxFrames: 24,
    ...options,
  })
  return {
    /** The tokens that the last extraction used. */
    used: nothingUsedYet(),
    endpoint,
    model,
    extraction,
    clock,
    lines,
    /** Runs one extraction, one minute before its job's deadline. */
    run(request: Partial<Request>, material = materialOf('Hello there.'), signal = new AbortController().signal) {
      this.used = nothingUsedYet()
      const limits = { organization: 'org-1', signal, deadlineAt: clock.now() + 60_000, used: this.used }
      return extraction.extract({ prompt: 'What is said?', schema: null, ...request }, material, limits)
    },
    /** Runs an extraction that must fail. @returns its error */
    failure(request: Partial<Request>, material?: Material): Promise<StepError> {
      return failureOf(this.run(request, material))
    },
    async [Symbol.asyncDispose]() {
      await validation[Symbol.asyncDispose]()
      await endpoint[Symbol.asyncDispose]()
    },
  }
}
