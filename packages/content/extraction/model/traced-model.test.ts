import { expect } from 'chai'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import type { Model, Question, Reply } from './model.ts'
import { tracedModel } from './traced-model.ts'

const failure = new StepError('platform_blocked')

describe('a model with tracing', () => {
  const telemetry = new RecordingTelemetry()

  it('has a span for each call, with its tokens but no questions or answers', async () => {
    const shape = { format: 'prompt', frames: false } as const
    const reply: Reply = {
      outcome: 'answered',
      content: 'hidden answer',
      model: 'small-2026',
      tokens: { input: 70, output: 7 },
      shape,
    }
    const replies = [Promise.resolve(reply), Promise.resolve({ ...reply, tokens: undefined }), Promise.reject(failure)]
    const model: Model = { seesFrames: true, ask: () => replies.shift() as Promise<Reply> }
    const traced = tracedModel(model, { name: 'small', baseUrl: 'https://api.mistral.ai/v1' }, telemetry)
    const question = { schema: { title: 'hidden schema' } } as unknown as Question
    await telemetry.within(newTraceparent(true), async () => {
      expect(await traced.ask(question)).to.equal(reply)
      await traced.ask(question)
      expect(await failureOf(traced.ask(question))).to.equal(failure)
    })
    const measured = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'small',
      'gen_ai.provider.name': 'mistral_ai',
      'server.address': 'api.mistral.ai',
    }
    const asked = { ...measured, 'video.egress.route': 'direct' }
    const [first, second, third] = telemetry.named('chat small')
    expect(first?.attributes).to.deep.equal({
      ...asked,
      'gen_ai.usage.input_tokens': 70,
      'gen_ai.usage.output_tokens': 7,
    })
    expect(second?.attributes).to.include(asked)
    expect(third?.error).to.equal('platform_blocked')
    expect(JSON.stringify(telemetry.spans)).to.not.contain('hidden')
    expect(telemetry.valuesOf(metrics.modelTokens)).to.deep.equal([
      { value: 70, attributes: { 'gen_ai.token.type': 'input' } },
      { value: 7, attributes: { 'gen_ai.token.type': 'output' } },
    ])
    const durations = telemetry.valuesOf(metrics.modelDuration).map(({ attributes }) => attributes)
    const errors = [undefined, undefined, 'platform_blocked']
    expect(durations).to.deep.equal(errors.map((error) => ({ ...measured, 'error.type': error })))
    expect(traced.seesFrames).to.equal(true)
  })

  it("names the provider by its host, and any other host with OpenAI's interface as OpenAI", async () => {
    const told = new RecordingTelemetry()
    const model: Model = { seesFrames: false, ask: () => Promise.reject(failure) }
    for (const host of ['api.openai.com', 'acme.openai.azure.com', 'llm.internal', 'api.groq.com.evil.example'])
      await failureOf(tracedModel(model, { name: 'm', baseUrl: `https://${host}/v1` }, told).ask({} as Question))
    const asked = told.valuesOf(metrics.modelDuration).map(({ attributes }) => attributes['gen_ai.provider.name'])
    expect(asked).to.deep.equal(['openai', 'azure.ai.openai', 'openai', 'openai'])
  })
})
