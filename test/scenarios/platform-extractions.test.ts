/** Extractions from videos of the five platforms, on the sandbox and its stand-in for a model. */
import { expect } from 'chai'
import { STAND_IN } from '#services/sandbox/llm/stand-in-models.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { assertAddsUp } from '#test/doubles/service/audit.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { platforms, playing } from '#test/doubles/service/sandbox-videos.ts'

const schema = {
  type: 'object',
  properties: { sentences: { type: 'array', items: { type: 'string' }, minItems: 2 }, stars: { type: 'integer' } },
  required: ['sentences', 'stars'],
  additionalProperties: false,
}

describe('extractions from platforms', function () {
  this.timeout(180_000)
  const setting = openedForAll(() =>
    SandboxSetting.start({
      env: ({ modelsUrl }) => ({
        LLM_BASE_URL: modelsUrl,
        LLM_MODEL: STAND_IN,
        LLM_MAX_FRAMES: '2',
        YTDLP_WORKERS: '1',
      }),
    }),
  )

  async function extract(me: Client, url: string) {
    const { status, body, text } = await me.post('/v1/extract', { url, prompt: 'What is said?', schema })
    expect(status, text).to.equal(202)
    const ended = await me.ended(body.jobId ?? '', '/v1/extract')
    expect(ended.body.status, ended.text).to.equal('completed')
    const produced = (await setting.history(body.jobId ?? '')).find(({ type }) => type === 'ExtractionProduced')
    return { result: ended.body.resultJson as unknown as { sentences: string[] }, produced: produced?.data }
  }

  for (const platform of platforms)
    it(`of ${platform}: the words and the pictures reach the model, and are read once for two of them`, async () => {
      const me = await setting.client({ plan: 'starter' })
      const { url } = playing(platform)
      const { result, produced } = await extract(me, url)
      expect(result.sentences).to.have.length(2)
      for (const sentence of result.sentences) expect(sentence).to.match(/\w+ \w+/)
      expect(produced).to.include({ model: STAND_IN, rounds: 1 })
      expect(produced).to.have.property('framesUsed').above(0)
      const before = setting.sandbox.traffic.count().requests
      const again = await extract(me, url)
      expect(again.result).to.deep.equal(result)
      expect(setting.sandbox.traffic.count().requests, 'nothing is asked of the platform again').to.equal(before)
    })

  it('are charged 10 credits each', () => assertAddsUp(setting))
})
