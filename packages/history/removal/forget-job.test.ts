import { expect } from 'chai'
import { aboutNothing, delivery } from '#packages/domain/webhook/delivery.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import { StreamRemovedError } from '#packages/ports/event-store.ts'
import { deliveryIdOf, streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { appendToJob } from '#test/doubles/ingress/ended-job.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { forgetJob } from './forget-job.ts'
import { startRemoval, url } from './removal.harness.ts'

describe('forgetting a job', () => {
  const removal = openedForEach(startRemoval)

  const forget = (jobId: string, orgId = removal.acme.orgId) =>
    forgetJob(removal.ports, { jobId, orgId, cause: 'a request' })
  const refusalOf = async (forgetting: Promise<void>) => (await failureOf<{ code: string }>(forgetting)).code

  it('leaves only the decision, which holds only ids, and its lines in the ledger', async () => {
    const { ingress, acme } = removal
    const jobId = await removal.endedJob()
    const ledger = await acme.ledger()
    await forget(jobId)
    expect(await ingress.views.get('jobs', jobId)).to.equal(undefined)
    expect(removal.dropped).to.deep.equal([url])
    expect(await acme.ledger()).to.deep.equal(ledger)
    const left = (await removal.feed()).filter(({ metadata }) => metadata.correlationId === jobId)
    expect(left.map(({ stream, type }) => [stream, type])).to.deep.equal([
      [streams.credits(acme.orgId), 'CreditsDebited'],
      [streams.credits(acme.orgId), 'CreditsSettled'],
      [streams.removal(jobId), 'StreamsRemoved'],
    ])
    expect(left.at(-1)?.data).to.deep.equal({ reason: 'forgotten', streams: [streams.job(jobId)] })
    expect(JSON.stringify(left)).to.not.contain('known')
  })

  it('also removes past webhook deliveries about it, and those about to begin', async () => {
    const { ingress, acme } = removal
    const make = async (): Promise<string> =>
      (await acme.post('/v1/webhooks', { url: 'https://hooks.example.com', events: ['job.completed'] })).body.id
    const [told, coming] = [await make(), await make()]
    const jobId = await removal.endedJob()
    const deliveryOf = (webhookId: string) => streams.delivery(deliveryIdOf(webhookId, jobId))
    const request = (webhookId: string) =>
      handleCommand({ ...removal.ports, store: ingress.memory }, delivery, {
        stream: deliveryOf(webhookId),
        command: {
          type: 'request',
          delivery: { orgId: acme.orgId, webhookId, type: 'job.completed', ...aboutNothing, jobId },
        },
        metadata: { orgId: acme.orgId, correlationId: jobId, causationId: 'test', traceparent: newTraceparent(false) },
        giveUpAt: 0,
      })
    await request(told)
    await forget(jobId)
    expect(await ingress.memory.read(deliveryOf(told))).to.deep.equal([])
    expect(await failureOf(request(coming))).to.be.instanceOf(StreamRemovedError)
  })

  it('refuses one that has not ended, and one that is not settled yet, and writes nothing', async () => {
    const { ingress, acme } = removal
    const { jobId } = (await acme.post('/v1/transcript', { url, mode: 'native' })).body
    expect(await refusalOf(forget(jobId))).to.equal('job_not_ended')
    const failed = {
      orgId: acme.orgId,
      kind: 'transcript',
      code: 'no_speech',
      message: 'It failed.',
      used: null,
    } as const
    await appendToJob(ingress, jobId, { type: 'JobFailed', data: failed })
    expect(await refusalOf(forget(jobId))).to.equal('unavailable')
    expect((await ingress.memory.read(streams.job(jobId))).length).to.equal(2)
    expect(await ingress.memory.read(streams.removal(jobId))).to.deep.equal([])
  })

  it('does not find one of another organization, an unknown or forgotten one, or an invalid id', async () => {
    const jobId = await removal.endedJob()
    const other = await removal.ingress.org()
    for (const asked of [forget(jobId, other.orgId), forget(crypto.randomUUID()), forget('../x')])
      expect(await refusalOf(asked)).to.equal('not_found')
    await forget(jobId)
    expect(await refusalOf(forget(jobId))).to.equal('not_found')
  })

  it('is decided once for simultaneous requests, and carried out after a crash that follows the decision', async () => {
    const { ingress } = removal
    const jobId = await removal.endedJob()
    const remove = ingress.store.remove.bind(ingress.store)
    ingress.store.remove = () => Promise.reject(new Error('killed'))
    expect((await failureOf<Error>(forget(jobId))).message).to.equal('killed')
    ingress.store.remove = remove
    await Promise.all([forget(jobId), forget(jobId)])
    expect(await ingress.memory.read(streams.removal(jobId))).to.have.length(1)
    expect(await ingress.memory.isRemoved(streams.job(jobId))).to.equal(true)
  })
})
