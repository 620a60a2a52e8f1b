/** A customer's webhooks: what is delivered, how it is signed, and what the customer sees of it. */
import { expect } from 'chai'
import type { NewWebhook, WebhookDelivery } from '#contracts/generated/http.ts'
import { VideoIntelligence } from '#packages/client/client.ts'
import { VideoIntelligenceError } from '#packages/client/error.ts'
import { assertMessageInContract } from '#test/doubles/ingress/contract.ts'
import type { Answer, Client } from '#test/doubles/service/client.ts'
import { StrangersSetting } from '#test/doubles/service/strangers-setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { isSignedBy, type Message, Receiver } from '#test/doubles/webhooks/receiver.ts'
import { mediaFiles } from '#test/doubles/world/media.ts'

const VIDEO = 'https://cdn.example.com/captioned.mp4'
const GONE = 'https://cdn.example.com/nothing.mp4'
const HOOKS = 'https://hooks.example.com'

/**
 * Repeats a request while the database is busy. Such a refusal has no effect. The client itself repeats nothing that
 * may have an effect.
 */
const patiently = <T>(work: () => Promise<T>): Promise<T> =>
  until('the database answers in time', async () => {
    try {
      return { done: await work() }
    } catch (error) {
      if (error instanceof VideoIntelligenceError && error.code === 'unavailable') return undefined
      throw error
    }
  }).then(({ done }) => done)

/** The same for a bare request. */
const answered = (ask: () => Promise<Answer>): Promise<Answer> =>
  until('the database answers in time', async () => {
    const answer = await ask()
    return answer.status !== 503 && answer
  })

describe('webhooks', function () {
  this.timeout(300_000)
  let setting: StrangersSetting
  let receiver: Receiver
  let me: Client
  let api: VideoIntelligence

  before(async () => {
    const files = await mediaFiles(['captioned.mp4'])
    receiver = new Receiver((request, response) => {
      const video = files.get(request.url ?? '')
      response.writeHead(video === undefined ? 404 : 200, { 'content-type': 'video/mp4' }).end(video)
    })
    setting = await StrangersSetting.start(receiver.listener)
    await until('it is ready', async () => (await fetch(`${setting.service.base}/ready`)).ok)
    me = await setting.client({ plan: 'pro' })
    api = new VideoIntelligence({ baseUrl: setting.service.base, apiKey: me.key })
  })
  after(async () => {
    await setting?.[Symbol.asyncDispose]()
    for (const { body } of receiver.messages) assertMessageInContract(body)
    const types = receiver.messages.map(({ told }) => told.type)
    expect(types).to.include.members(['job.completed', 'job.failed', 'ping'])
  })

  const make = (path: string, more: object = {}): Promise<NewWebhook> =>
    patiently(() => api.webhooks.create({ url: HOOKS + path, events: ['job.completed', 'job.failed'], ...more }))
  const ping = (id: string) => patiently(() => api.webhooks.ping(id))
  const remove = (id: string) => patiently(() => api.webhooks.delete(id))
  const run = (request: { url: string; mode?: string; webhookUrl?: string }) => me.run({ mode: 'native', ...request })
  const about = (jobId: string | undefined) => (message: Message) => message.told.data.jobId === jobId
  const delivered = (id: string, deliveryId: string, attempts = 1): Promise<WebhookDelivery> =>
    until('the delivery is listed as ended, with its attempts', async () => {
      const { deliveries } = await api.webhooks.deliveries(id)
      const isThis = ({ id: one, status, attempts: made }: WebhookDelivery): boolean =>
        one === deliveryId && status !== 'open' && made.length >= attempts
      return deliveries.find(isThis)
    })

  it('are notified of the end of each job, signed, and show what their receiver answered', async () => {
    const hook = await make('/ends', { results: true })
    const [completed, failed] = await Promise.all([run({ url: VIDEO }), run({ url: GONE })])
    expect([completed.body.status, failed.body.status]).to.deep.equal(['completed', 'failed'])
    const good = await receiver.message('/ends', 'the completed job', about(completed.body.jobId))
    const bad = await receiver.message('/ends', 'the failed job', about(failed.body.jobId))
    expect([good.told.type, bad.told.type]).to.deep.equal(['job.completed', 'job.failed'])
    for (const message of [good, bad]) {
      expect(isSignedBy(hook.secret, message)).to.equal(true)
      expect(Math.abs(Date.now() / 1000 - Number(message.timestamp))).to.be.below(300)
      expect(Buffer.byteLength(message.body)).to.be.below(20_000)
    }
    expect(good.told.data.result).to.deep.equal(completed.body.resultJson)
    const { status, attempts } = await delivered(hook.id, good.id)
    expect([status, attempts[0]?.status, attempts[0]?.answer]).to.deep.equal(['delivered', 200, '{"taken":true}'])
    await remove(hook.id)
  })

  it('can be tried by a ping, and get one message or all since a time again, under the same ids', async () => {
    const hook = await make('/again')
    const since = new Date().toISOString()
    const { deliveryId } = await ping(hook.id)
    await receiver.message('/again', 'the ping', ({ id }) => id === deliveryId)
    const { body } = await run({ url: GONE })
    const first = await receiver.message('/again', 'the end', about(body.jobId))
    const times = () => receiver.at('/again').filter(({ id }) => id === first.id).length
    await delivered(hook.id, first.id)
    expect(await patiently(() => api.webhooks.redeliver(hook.id, first.id))).to.deep.equal({ deliveryId: first.id })
    await until('it comes again', () => times() >= 2)
    await delivered(hook.id, first.id, 2)
    expect(await patiently(() => api.webhooks.replay(hook.id, since))).to.deep.equal({ from: since })
    await until('it comes by the replay', () => times() >= 3)
    await remove(hook.id)
  })

  it('are tried again under the same id until they accept a message, and only then show it as delivered', async () => {
    receiver.answers('/weak', (before, response) => void response.writeHead(before === 0 ? 500 : 204).end('down'))
    const hook = await make('/weak')
    const { deliveryId } = await ping(hook.id)
    const { status, attempts } = await delivered(hook.id, deliveryId, 2)
    expect([status, ...attempts.map((each) => each.status)]).to.deep.equal(['delivered', 500, 204])
    expect(attempts[0]?.answer).to.equal('down')
    const ids = receiver.at('/weak').map(({ id }) => id)
    expect(new Set(ids)).to.deep.equal(new Set([deliveryId]))
    await remove(hook.id)
  })

  it('with a receiver that never answers do not delay others', async () => {
    receiver.answers('/never', () => {})
    const slow = await make('/never', { url: 'https://slow.example.com/never' })
    await Promise.all(Array.from({ length: 6 }, () => ping(slow.id)))
    await until('as many as may be are under way', () => receiver.at('/never').length >= 4)
    const hook = await make('/quick')
    const { deliveryId } = await ping(hook.id)
    await receiver.message('/quick', 'the ping', ({ id }) => id === deliveryId)
    const { deliveries } = await api.webhooks.deliveries(slow.id)
    expect(new Set(deliveries.map(({ status }) => status))).to.deep.equal(new Set(['open']))
    await Promise.all([slow, hook].map(({ id }) => remove(id)))
  })

  it('are signed with both secrets after a rotation', async () => {
    const hook = await make('/rotated')
    const { secret } = await patiently(() => api.webhooks.rotate(hook.id))
    expect(secret).to.not.equal(hook.secret)
    const { deliveryId } = await ping(hook.id)
    const message = await receiver.message('/rotated', 'the ping', ({ id }) => id === deliveryId)
    for (const each of [secret, hook.secret]) expect(isSignedBy(each, message)).to.equal(true)
    await remove(hook.id)
  })

  it('are switched off by a 410, say so, and get messages again once they are switched on', async () => {
    receiver.answers('/left', (before, response) => void response.writeHead(before === 0 ? 410 : 200).end())
    const hook = await make('/left')
    await ping(hook.id)
    const off = await until('it is off', async () => {
      const seen = await api.webhooks.get(hook.id)
      return seen.status === 'off' && seen
    })
    expect(off.reason).to.equal('gone')
    await patiently(() => api.webhooks.change(hook.id, { status: 'on' }))
    const { deliveryId } = await ping(hook.id)
    await receiver.message('/left', 'the second ping', ({ id }) => id === deliveryId)
    await remove(hook.id)
  })

  it('can be named by a job: signed with the secret of the organization, and part of the request under an idempotency key', async () => {
    const other = await setting.client()
    const json = { url: GONE, mode: 'native', webhookUrl: `${HOOKS}/job` }
    const ask = (path: string, body: object, headers = {}) => answered(() => other.post(path, body, headers))
    const post = (body: object, headers = {}) => ask('/v1/transcript', body, headers)
    const without = await post(json)
    expect([without.status, without.body.details]).to.deep.equal([403, { reason: 'no_default_secret' }])
    const { secret } = (await ask('/v1/webhooks/secret', {})).body as { secret?: string }
    const wrong = await post({ ...json, webhookUrl: 'https://10.0.0.1/' })
    expect([wrong.status, (wrong.body.details as { path: string }[])[0]?.path]).to.deep.equal([400, 'webhookUrl'])
    const once = { 'idempotency-key': 'once' }
    const accepted = await post(json, once)
    expect(accepted.status).to.equal(202)
    const message = await receiver.message('/job', 'the end', about(accepted.body.jobId))
    expect(isSignedBy(secret ?? '', message)).to.equal(true)
    expect((await post(json, once)).body.jobId).to.equal(accepted.body.jobId)
    for (const body of [
      { ...json, webhookUrl: `${HOOKS}/another` },
      { ...json, webhookUrl: undefined },
    ])
      expect((await post(body, once)).status).to.equal(409)
    const { key } = (await ask('/v1/keys', { name: 'jobs', scopes: ['jobs'] })).body
    const refused = await answered(() => other.withKey(key ?? '').post('/v1/transcript', json))
    expect([refused.status, refused.body.details]).to.deep.equal([403, { reason: 'scope', required: 'webhooks' }])
    // Two of the free plan: the host that was named is one of them.
    const endpoint = { url: `${HOOKS}/one`, events: ['job.failed'] }
    expect((await ask('/v1/webhooks', endpoint)).status).to.equal(201)
    expect((await ask('/v1/webhooks', endpoint)).status).to.equal(403)
    expect((await post({ ...json, webhookUrl: 'https://third.example.com/' })).status).to.equal(403)
    expect((await post({ ...json, webhookUrl: `${HOOKS}/same-host` })).status).to.equal(202)
  })

  it('forget a job with its content: nothing of it is listed any more', async () => {
    const hook = await make('/forgotten')
    const { body } = await run({ url: VIDEO })
    const message = await receiver.message('/forgotten', 'the end', about(body.jobId))
    await delivered(hook.id, message.id)
    await until('it is forgotten', async () => (await me.delete(`/v1/jobs/${body.jobId}/content`)).status === 200)
    await until(
      'its delivery is not listed',
      async () => (await api.webhooks.deliveries(hook.id)).deliveries.length === 0,
    )
    await remove(hook.id)
  })

  it('get what waited for its next attempt after a kill -9, under the same id', async () => {
    receiver.answers('/killed', (before, response) => void response.writeHead(before === 0 ? 500 : 204).end())
    const hook = await make('/killed')
    const { deliveryId } = await ping(hook.id)
    await until('the first attempt is shown', async () => {
      const { deliveries } = await api.webhooks.deliveries(hook.id)
      return deliveries.some(({ id, attempts }) => id === deliveryId && attempts.length > 0)
    })
    await setting.service.end('SIGKILL')
    await setting.service.start()
    await until('it is sent again', () => receiver.at('/killed').length > 1)
    expect(new Set(receiver.at('/killed').map(({ id }) => id))).to.deep.equal(new Set([deliveryId]))
  })
})
