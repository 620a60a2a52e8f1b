import { EndpointHealth } from '#packages/content/openai/endpoint-health.ts'
import { type EngineDefinition, EngineUnavailable } from '../engine-definition.ts'
import { openAiTraits } from '../traits.ts'

export const endpoint: EngineDefinition = {
  name: 'endpoint',
  async prepare(config, { clock, log, telemetry }) {
    const { speechBaseUrl: baseUrl, speechModel: model, speechApiKey, speechRequests: requestsAtOnce } = config
    if (baseUrl === undefined) throw new EngineUnavailable('SPEECH_BASE_URL is not set')
    return {
      traits: openAiTraits(model),
      description: `openai, model ${model} at SPEECH_BASE_URL`,
      async create(launcher) {
        // loading the client takes a quarter of a second, so only a process that uses it loads it
        const { openAiEngine } = await import('./engine.ts')
        const health = new EndpointHealth(clock, 'speech')
        const account = { baseUrl, model, apiKey: speechApiKey ?? '', requestsAtOnce }
        return { engine: openAiEngine({ ...account, launcher, health, telemetry, clock, log }), health }
      },
    }
  },
}
