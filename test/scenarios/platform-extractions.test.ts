/** Extractions from videos of the five platforms, on the sandbox and its stand-in for a model. */
import { expect } from 'chai'
import type { CatalogueVideo } from '#services/sandbox/catalogue.ts'
import { STAND_IN } from '#services/sandbox/llm/stand-in-models.ts'
import { everyVideo } from '#services/sandbox/sandbox-platforms.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { audit } from '#test/doubles/service/audit.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { until } from '#test/doubles/service/until.ts'

const schema = {
  type: 'object',
  properties: { sentences: { type: 'array', items: { type: 'string' }, minItems: 2 }, stars: { type: 'integer' } },
  required: ['sentences', 'stars'],
  additionalProperties: false,
}

const platforms = [...new Set(everyVideo.map(({ platform }) => platform))]
const firstOf = (platform: string): CatalogueVideo =>
  everyVideo.find((video) => video.platform === platform && video.trouble === undefined) ??
  expect.fail(`no video of ${platform} plays`)

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
    const ended = await until('the extraction ends', async () => {
      const answer = await me.get(`/v1/extract/${body.jobId}`, { prefer: 'wait=20' })
      return answer.body.status !== 'queued' && answer
    })
    expect(ended.body.status, ended.text).to.equal('completed')
    const events = await (await setting.backDoor()).events()
    const produced = events.find(({ type, stream }) => type === 'ExtractionProduced' && stream === `job-${body.jobId}`)
    return { result: ended.body.resultJson as unknown as { sentences: string[] }, produced: produced?.data }
  }

  for (const platform of platforms)
    it(`of ${platform}: the words and the pictures reach the model, and are read once for two of them`, async () => {
      const me = await setting.client({ plan: 'starter' })
      const { url } = firstOf(platform)
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

  it('are charged 10 credits each', async () => {
    expect(audit(await setting.rest()).complaints).to.deep.equal([])
  })
})
