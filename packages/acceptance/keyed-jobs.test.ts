import { expect } from 'chai'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { credits } from '#packages/domain/credits/credits.ts'
import { isEventOf } from '#packages/event-sourcing/decider.ts'
import { shardOf } from '#packages/ports/shards.ts'
import { forgetJob } from '#packages/removal/forget-job.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'

const native = { url: 'https://cdn.example.com/film.mp4', mode: 'native' }
const DAY_MS = 24 * 3600_000

describe('the ids of jobs', () => {
  let clock: ManualClock
  let old: StartedIngress
  let upgraded: StartedIngress
  let acme: Awaited<ReturnType<StartedIngress['org']>>
  beforeEach(async () => {
    clock = new ManualClock()
    // In format 1 ids are what they were before shards.
    old = await startIngress({ clock, options: { eventsFormat: 1, giveUpAfterMs: 0 } })
    upgraded = await startIngress({ clock, store: old.memory })
    acme = await old.org()
  })
  afterEach(async () => {
    await upgraded[Symbol.asyncDispose]()
    await old[Symbol.asyncDispose]()
  })

  const post = (to: StartedIngress, key?: string) =>
    to.call('POST', '/v1/transcript', {
      key: acme.key,
      json: native,
      headers: key === undefined ? {} : { 'idempotency-key': key },
    })
  const debits = async (): Promise<string[]> =>
    (await acme.ledger()).flatMap((event) =>
      isEventOf(credits, event) && event.type === 'CreditsDebited' ? [event.data.jobId] : [],
    )

  it('begin with the first byte of the organization, with and without an Idempotency-Key', async () => {
    for (const key of [undefined, 'a', 'b', undefined]) {
      const { jobId } = (await post(upgraded, key)).body
      expect(jobId.slice(0, 2)).to.equal(acme.orgId.slice(0, 2))
      expect(shardOf(jobId)).to.equal(shardOf(acme.orgId))
    }
    expect(new Set(await debits()).size).to.equal(4)
  })

  it('are still found as a release before shards made them, and stand for a day', async () => {
    const before = (await post(old, 'k')).body
    expect((await post(upgraded, 'k')).body).to.deep.equal(before)
    expect(await debits()).to.deep.equal([before.jobId])
    await clock.jump(DAY_MS + 1)
    const after = (await post(upgraded, 'k')).body
    expect(after.jobId === before.jobId).to.equal(false)
    expect((await post(upgraded, 'k')).body).to.deep.equal(after)
    expect(await debits()).to.deep.equal([before.jobId, after.jobId])
  })

  it('are found by a process that still writes the older format', async () => {
    const made = (await post(upgraded, 'k')).body
    expect((await post(old, 'k')).body).to.deep.equal(made)
    expect((await post(old)).body.jobId).to.be.a('string')
    expect(await debits())
      .to.have.length(2)
      .and.to.include(made.jobId)
  })

  it('are one where processes of both formats get the first requests at once', async () => {
    const answers: unknown[] = []
    old.store.fault = async (_stream, _events, proceed) => {
      old.store.fault = undefined
      answers.push((await post(upgraded, 'k')).body)
      return proceed()
    }
    answers.unshift((await post(old, 'k')).body)
    expect(answers[0]).to.deep.equal(answers[1])
    expect(await debits()).to.have.length(1)
  })

  it('are taken from an open debit of that release, whose job was not requested', async () => {
    old.store.fault = async (stream, _events, proceed) => {
      if (stream.startsWith('job-')) throw new Error('the store is away')
      return proceed()
    }
    expect((await post(old, 'k')).status).to.equal(503)
    const { jobId } = (await post(upgraded, 'k')).body
    expect(await debits()).to.deep.equal([jobId])
  })

  it('are not given again where a job of that release was forgotten, also on the day after the start', async () => {
    const { jobId } = (await post(old, 'k')).body
    await clock.jump(DAY_MS - 1000)
    await endJob(old, jobId, { segments: [] })
    await forgetJob({ ...old, clock, ids, dropCached: async () => {} }, { jobId, orgId: acme.orgId, cause: 'c' })
    const before = await acme.ledger()
    expect((await post(upgraded, 'k')).status).to.equal(404)
    await clock.jump(DAY_MS - 1000)
    expect((await post(upgraded, 'k')).status).to.equal(404)
    expect(await acme.ledger()).to.deep.equal(before)
    await clock.jump(2000)
    expect((await post(upgraded, 'k')).status).to.equal(202)
  })
})
