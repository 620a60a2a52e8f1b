import { expect } from 'chai'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { forgetJob } from '#packages/history/removal/forget-job.ts'
import { streams } from '#packages/ports/ids.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'

const native = { url: 'https://cdn.example.com/film.mp4', mode: 'native' }
const byKey = (key: string) => ({ headers: { 'idempotency-key': key } })

describe('a repeat under an Idempotency-Key after its job is gone', () => {
  let later: ManualClock
  let ingress: StartedIngress
  let acme: Awaited<ReturnType<StartedIngress['org']>>
  beforeEach(async () => {
    later = new ManualClock()
    ingress = await startIngress({ clock: later })
    acme = await ingress.org()
  })
  afterEach(() => ingress[Symbol.asyncDispose]())

  const post = () => acme.post('/v1/transcript', native, byKey('k'))
  const ended = async (): Promise<string> => {
    const { jobId } = (await post()).body
    await endJob(ingress, jobId, { segments: [] })
    return jobId
  }
  const forget = (jobId: string, from = ingress) =>
    forgetJob({ ...from, clock: later, ids, dropCached: async () => {} }, { jobId, orgId: acme.orgId, cause: 'c' })

  it("answers the job's 404 if it was forgotten, and debits nothing; a day later the key is free", async () => {
    const jobId = await ended()
    await forget(jobId)
    const before = await acme.ledger()
    const again = await post()
    expect([again.status, again.text]).to.deep.equal([404, (await acme.get(`/v1/transcript/${jobId}`)).text])
    await later.jump(24 * 3600_000)
    expect((await post()).status).to.equal(404)
    expect(await acme.ledger()).to.deep.equal(before)
    await later.advance(1)
    const another = await post()
    expect([another.status, another.body.jobId === jobId]).to.deep.equal([202, false])
  })

  it('continues with a younger job of the key if an older one is forgotten', async () => {
    const old = await ended()
    await later.jump(24 * 3600_000 + 1)
    const young = await ended()
    await forget(old)
    const again = await post()
    expect([again.status, again.body.jobId]).to.deep.equal([202, young])
    await forget(young)
    expect((await post()).status).to.equal(404)
  })

  it('begins another job if retention has removed the old one', async () => {
    const jobId = await ended()
    await ingress.memory.remove(streams.job(jobId))
    const another = await post()
    expect([another.status, another.body.jobId === jobId]).to.deep.equal([202, false])
    expect(await acme.credits()).to.equal(48)
  })

  for (const [when, at] of [
    ['before the debit', 'credits-'],
    ['between debit and request', 'job-'],
  ] as const)
    it(`leaves no debit open if another node accepts the job, ends and forgets it ${when}`, async () => {
      await using other = await startIngress({ clock: later, store: ingress.memory })
      let jobId = ''
      ingress.store.fault = async (stream, _events, proceed) => {
        if (!stream.startsWith(at)) return proceed()
        ingress.store.fault = undefined
        jobId = (await other.call('POST', '/v1/transcript', { key: acme.key, json: native, ...byKey('k') })).body.jobId
        await endJob(other, jobId, { segments: [] })
        await forget(jobId, other)
        return proceed()
      }
      const late = await post()
      expect([late.status, late.text]).to.deep.equal([404, (await acme.get(`/v1/transcript/${jobId}`)).text])
      expect((await ingress.ledgers.current(acme.orgId)).openDebits.size).to.equal(0)
      expect(await acme.credits()).to.equal(49)
      expect((await acme.ledger()).filter(({ type }) => type === 'CreditsDebited')).to.have.length(1)
    })
})
