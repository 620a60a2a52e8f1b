import { codeOf } from '#packages/telemetry/code-of.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { Model } from './model.ts'

/**
 * A model whose calls are spans with the tokens that they took, and are measured. `name`: what the endpoint is asked for,
 * as it is configured.
 */
export function tracedModel(model: Model, name: string, telemetry: Telemetry): Model {
  const attributes = { [names.genAiOperation]: 'chat', [names.genAiModel]: name }
  const count = (type: 'input' | 'output', tokens: number | undefined): void => {
    if (tokens !== undefined) telemetry.add(metrics.modelTokens, tokens, { [names.genAiTokenType]: type })
  }
  return {
    get seesFrames() {
      return model.seesFrames
    },
    ask: (question) =>
      telemetry.inSpan({ name: `chat ${name}`, kind: 'client', attributes }, async (set) => {
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
  }
}
