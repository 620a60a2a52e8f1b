import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import type { StreamAppend } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'

const native = { url: 'https://cdn.example.com/film.mp4', mode: 'native' }
const byKey = (key: string) => ({ headers: { 'idempotency-key': key } })
const typesOf = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type)

describe('accepting a job if the store can append together', function () {
  // The ingress gives up soon, so the tests are repeated if the machine stops meanwhile.
  this.retries(2)
  let ingress: StartedIngress
  let acme: Awaited<ReturnType<StartedIngress['org']>>
  const jobOf = (jobId: string) => ingress.memory.read(streams.job(jobId))
  const debits = async (): Promise<number> =>
    (await acme.ledger()).filter(({ type }) => type === 'CreditsDebited').length

  beforeEach(async () => {
    ingress = await startIngress({ clock, options: { giveUpAfterMs: 1500 } })
    acme = await ingress.org()
  })
  afterEach(() => ingress[Symbol.asyncDispose]())

  it('takes one append for the debits and requests of posts that arrive together', async () => {
    const calls: (readonly StreamAppend[])[] = []
    ingress.store.canAppendTogether((appends, proceed) => {
      calls.push(appends)
      return proceed()
    })
    const posts = Array.from({ length: 5 }, () => acme.post('/v1/transcript', native))
    const jobs = (await Promise.all(posts)).map(({ body }) => body.jobId as string)
    for (const jobId of jobs) expect(typesOf(await jobOf(jobId))).to.deep.equal(['JobRequested'])
    expect(await acme.credits()).to.equal(45)
    for (const [own, ...beside] of calls) {
      expect(own?.stream).to.equal(streams.credits(acme.orgId))
      expect(beside).to.have.length(own?.events.length ?? 0)
    }
    expect(calls.flat().flatMap(({ events }) => events)).to.have.length(10)
  })

  it('creates one job from eight posts under one key at once', async () => {
    ingress.store.canAppendTogether()
    const posts = Array.from({ length: 8 }, () => acme.post('/v1/transcript', native, byKey('k')))
    const texts = (await Promise.all(posts)).map(({ text }) => text)
    expect(new Set(texts).size).to.equal(1)
    expect(await debits()).to.equal(1)
  })

  it('repeats a lost answer without a second debit or a second job', async () => {
    let lost = 0
    ingress.store.canAppendTogether(async (_appends, proceed) => {
      const stored = await proceed()
      if (lost++ === 0) throw new Error('the answer is lost')
      return stored
    })
    const { status, body } = await acme.post('/v1/transcript', native)
    expect([status, lost]).to.deep.equal([202, 2])
    expect(await jobOf(body.jobId)).to.have.length(1)
    expect(await debits()).to.equal(1)
  })

  it('names the job that may have been accepted if no answer comes', async () => {
    ingress.store.canAppendTogether(async (_appends, proceed) => {
      await proceed()
      throw new Error('the answer is lost')
    })
    const { status, body } = await acme.post('/v1/transcript', native)
    expect(status).to.equal(503)
    expect(typesOf(await jobOf(body.details.jobId))).to.deep.equal(['JobRequested'])
  })

  it('accepts the others if the stream of one job already exists, and gives that one another id', async () => {
    const { type, metadata } = { type: 'JobFailed' as const, metadata: (await acme.ledger())[0]?.metadata }
    const data = { orgId: acme.orgId, kind: 'transcript', code: 'not_accepted', message: 'none', used: null } as const
    let calls = 0
    ingress.store.canAppendTogether(async (appends, proceed) => {
      const [, first] = appends
      if (calls++ > 0 || metadata === undefined || first === undefined) return proceed()
      await ingress.memory.append(first.stream, 'no-stream', [{ type, data, id: crypto.randomUUID(), metadata }])
      return proceed()
    })
    const answers = await Promise.all([1, 2, 3].map(() => acme.post('/v1/transcript', native)))
    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202, 202])
    expect(await debits()).to.equal(3)
  })

  it('continues from the open debit of a process that could not append together', async () => {
    ingress.store.fault = (stream, _events, proceed) =>
      stream.startsWith('job-') ? Promise.reject(new Error('gone')) : proceed()
    const lost = await acme.post('/v1/transcript', native, byKey('k'))
    ingress.store.fault = undefined
    ingress.store.canAppendTogether()
    const again = await acme.post('/v1/transcript', native, byKey('k'))
    expect([again.status, again.body.jobId]).to.deep.equal([202, lost.body.details.jobId])
    expect(await debits()).to.equal(1)
  })
})
