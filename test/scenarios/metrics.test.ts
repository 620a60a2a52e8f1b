/** What an operator sees of the whole service: exactly the documented metrics. */
import { expect } from 'chai'
import { metrics } from '#packages/telemetry/metrics.ts'
import { TestVisitor } from '#services/dashboard/test-visitor.harness.ts'
import { startChatEndpoint } from '#test/doubles/llm/chat-endpoint.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { OtlpReceiver, type ReceivedMetric } from '#test/doubles/otlp/receiver.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { startSmtpServer } from '#test/doubles/smtp-server.ts'
import { pingInVain } from '#test/doubles/webhooks/ping-in-vain.ts'

const schema = { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] }

/**
 * Series of one process, or of one for each part, after every kind of job: some hundreds, however many jobs there are.
 */
const MAX_SERIES = 600

/** Each process exports its own. */
const PROCESSES = startScript === 'start' ? 1 : 10

describe('the metrics of the service', function () {
  this.timeout(startScript === 'start' ? 120_000 : 300_000)

  const receiver = openedForAll(() => OtlpReceiver.start())
  const mails = openedForAll(() => startSmtpServer())
  const model = openedForAll(() => startChatEndpoint({ reply: () => '{"topic": "speech"}' }))
  const setting = openedForAll(() =>
    Setting.start({
      apart: true,
      media: ['captioned.mp4', 'speech.mp3'],
      env: {
        ...receiver.env,
        LLM_BASE_URL: model.baseUrl,
        LLM_MAX_FRAMES: '1',
        LLM_API_KEY: 'sk-model-secret',
        RATE_LIGHT_PER_MINUTE: '10',
        METRICS_BUSIEST_ORGANIZATIONS: 'on',
        SIGNUP: 'open',
        SMTP_URL: mails.url,
        MAIL_FROM: 'service@example.com',
      },
    }),
  )

  const documented = Object.values(metrics)

  it('are those of the table: none is missing, none is unknown, none has another unit or label', async () => {
    const me = await setting.client({ plan: 'pro' })
    const jobs = [
      await me.enqueue({ url: at('/captioned.mp4'), mode: 'native' }),
      await me.enqueue({ url: at('/speech.mp3'), mode: 'auto' }),
      await me.enqueue({ url: at('/nothing.mp4'), mode: 'generate' }),
    ]
    for (const jobId of jobs) await me.ended(jobId)
    const extraction = await me.post('/v1/extract', { url: at('/speech.mp3?x=1'), prompt: 'topic', schema })
    await me.ended(extraction.body.jobId ?? '', '/v1/extract')
    await me.delete(`/v1/jobs/${jobs[0]}/content`)
    await pingInVain(me)
    for (let n = 0; n < 12; n++) await me.get('/v1/me')
    const person = { email: 'ada@example.com', password: 'a long enough password', organization: 'Acme' }
    await new TestVisitor(setting.service.base, '/dashboard').post('/sign-up', person)
    await setting.rest()

    const missing = (): string[] => {
      const names = new Set(receiver.metrics.map(({ name }) => name))
      return documented.filter(({ name }) => !names.has(name)).map(({ name }) => name)
    }
    // The comparison reports what is missing.
    await until('every metric has come', () => missing().length === 0).catch(() => undefined)
    expect(missing()).to.deep.equal([])
    const known = new Map<string, (typeof documented)[number]>(documented.map((metric) => [metric.name, metric]))
    const wrong = ({ name, unit, series }: ReceivedMetric): boolean => {
      const metric = known.get(name)
      const labels = series.flatMap((attributes) => Object.keys(attributes))
      return metric === undefined || metric.unit !== unit || labels.some((label) => !metric.attributes.includes(label))
    }
    expect(receiver.metrics.filter(wrong)).to.deep.equal([])
  })

  it('stay few, however many jobs, organizations and URLs there are', async () => {
    const seen = (): string[] =>
      receiver.metrics.flatMap(({ name, series }) => series.map((labels) => `${name} ${JSON.stringify(labels)}`))
    const addFive = async (round: number): Promise<string[]> => {
      for (let n = 0; n < 5; n++) {
        const client = await setting.client({ plan: 'pro' })
        // A job that overtook its plan would be in the lane of the free one, after a conflict of its debit.
        await until('the plan is known', async () => (await client.get('/v1/credits')).body.plan === 'pro')
        await client.ended(await client.enqueue({ url: at(`/captioned.mp4?n=${round}-${n}`), mode: 'native' }))
      }
      const from = receiver.exports
      await until('values were exported again', () => receiver.exports >= from + 3 * PROCESSES)
      return seen()
    }
    // The first may be the first of their kind; those after them are not.
    const before = new Set(await addFive(1))
    const added = (await addFive(2)).filter((one) => !before.has(one))
    expect(added.length, `series of five organizations, URLs and jobs more: ${added.join(', ')}`).to.be.at.most(5)
    expect(seen().length).to.be.within(50, MAX_SERIES)
  })
})
