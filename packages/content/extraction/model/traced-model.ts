import { decorated } from '#packages/ports/decorated.ts'
import { codeOf } from '#packages/telemetry/code-of.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { Model } from './model.ts'

/** Providers by the ends of their hosts, with the names of the semantic conventions. */
const providers = {
  'api.anthropic.com': 'anthropic',
  'api.cohere.com': 'cohere',
  'api.deepseek.com': 'deepseek',
  'api.groq.com': 'groq',
  'api.mistral.ai': 'mistral_ai',
  'api.perplexity.ai': 'perplexity',
  'api.x.ai': 'x_ai',
  '.amazonaws.com': 'aws.bedrock',
  '.openai.azure.com': 'azure.ai.openai',
  'generativelanguage.googleapis.com': 'gcp.gemini',
  'aiplatform.googleapis.com': 'gcp.vertex_ai',
}

/** The provider at a host. Any other host has OpenAI's interface, and the conventions name it after that. */
const providerOf = (host: string): string =>
  Object.entries(providers).find(([end]) => host.endsWith(end))?.[1] ?? 'openai'

/** Makes each call of a model a span with its tokens, and measures it. `name`: the configured model. */
export function tracedModel(
  model: Model,
  { name, baseUrl }: { name: string; baseUrl: string },
  telemetry: Telemetry,
): Model {
  const { hostname } = new URL(baseUrl)
  const attributes = {
    [names.genAiOperation]: 'chat',
    [names.genAiModel]: name,
    [names.genAiProvider]: providerOf(hostname),
    [names.serverAddress]: hostname,
  }
  const ofSpan = { ...attributes, [names.egressRoute]: 'direct' }
  const count = (type: 'input' | 'output', tokens: number | undefined): void => {
    if (tokens !== undefined) telemetry.add(metrics.modelTokens, tokens, { [names.genAiTokenType]: type })
  }
  return decorated(model, {
    ask: (question) =>
      telemetry.inSpan({ name: `chat ${name}`, kind: 'client', attributes: ofSpan }, async (set) => {
        const startedAt = performance.now()
        let errorType: string | undefined
        try {
          const reply = await model.ask(question)
          const { tokens } = reply
          set({ [names.genAiInputTokens]: tokens?.input, [names.genAiOutputTokens]: tokens?.output })
          count('input', tokens?.input)
          count('output', tokens?.output)
          return reply
        } catch (error) {
          errorType = codeOf(error)
          throw error
        } finally {
          const seconds = (performance.now() - startedAt) / 1000
          telemetry.record(metrics.modelDuration, seconds, { ...attributes, [names.errorType]: errorType })
        }
      }),
  })
}
