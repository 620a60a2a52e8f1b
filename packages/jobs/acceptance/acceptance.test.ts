import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { purpose } from '#packages/domain/credits/credits.fixture.ts'
import { MAX_OPEN_DEBITS } from '#packages/domain/credits/credits.ts'
import type { StoredEvent, StreamAppend } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import { jobSpanOf, newTraceparent, traceIdOf } from '#packages/telemetry/traceparent.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'

const url = 'https://cdn.example.com/film.mp4'
const native = { url, mode: 'native' }
const generate = { url, mode: 'generate' }
const byKey = (key: string) => ({ headers: { 'idempotency-key': key } })
const typesOf = (events: StoredEvent[]): string[] => events.map(({ type }) => type)

describe('accepting a job', function () {
  // The ingress gives up soon, so the tests are repeated if the machine stops meanwhile.
  this.retries(2)
  let ingress: StartedIngress
  let acme: Awaited<ReturnType<StartedIngress['org']>>
  const jobOf = (jobId: string): Promise<StoredEvent[]> => ingress.store.read(streams.job(jobId))
  /** From now on the store takes no job. */
  const refuseJobs = (): void => {
    ingress.store.fault = (stream, _events, proceed) =>
      stream.startsWith('job-') ? Promise.reject(new Error('gone')) : proceed()
  }
  /** From now on the first answer for each stream is lost. @returns these streams */
  const loseAnswers = (): Set<string> => {
    const lost = new Set<string>()
    ingress.store.fault = async (stream, _events, proceed) => {
      const stored = await proceed()
      if (lost.has(stream)) return stored
      lost.add(stream)
      throw new Error('the answer is lost')
    }
    return lost
  }
  /** Ends a job as the orchestrator does if it was never requested. */
  const refuseJob = (stream: string, metadata: StoredEvent['metadata']) => {
    const data = { orgId: acme.orgId, kind: 'transcript', code: 'not_accepted', message: 'late', used: null } as const
    return ingress.store.append(stream, 'no-stream', [{ type: 'JobFailed', data, id: crypto.randomUUID(), metadata }])
  }

  beforeEach(async () => {
    ingress = await startIngress({ clock, options: { giveUpAfterMs: 1500 } })
    acme = await ingress.org()
  })
  afterEach(() => ingress[Symbol.asyncDispose]())

  it('answers with exactly a job id and where to poll it', async () => {
    const { status, body, headers } = await acme.post('/v1/transcript', native)
    expect(status).to.equal(202)
    expect(body).to.deep.equal({ jobId: body.jobId, status: 'queued' })
    expect(headers.get('location')).to.equal(`/v1/transcript/${body.jobId}`)
    expect(headers.get('retry-after')).to.equal('1')
  })

  it('writes the debit first and then the request, both of one request and one trace', async () => {
    const acme = await ingress.org('pro')
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    const traceparent = `00-${trace}-00f067aa0ba902b7-01`
    const posted = await acme.post('/v1/transcript', { url, lang: 'PT-br' }, { headers: { traceparent } })
    const { jobId } = posted.body
    const [requested, ...more] = await jobOf(jobId)
    const debited = (await acme.ledger()).at(-1)
    expect(more).to.deep.equal([])
    expect(debited?.data).to.include({ jobId, credits: 5, operation: 'transcript' })
    expect(requested?.data).to.deep.include({ url, mode: 'auto', lang: 'pt-BR', budget: 5, lane: 'priority' })
    expect(debited?.position).to.be.lessThan(requested?.position ?? 0)
    for (const event of [debited, requested]) {
      expect(event?.metadata).to.include({ orgId: acme.orgId, correlationId: jobId })
      expect(event?.metadata.causationId).to.equal(posted.headers.get('x-request-id'))
      expect(event?.metadata.traceparent).to.match(new RegExp(`^00-${trace}-(?!00f067aa0ba902b7)`))
    }
  })

  it('reads nothing before its two appends once organization and key are known', async () => {
    await acme.post('/v1/transcript', native)
    ingress.store.reads.length = 0
    await acme.post('/v1/transcript', native)
    expect(ingress.store.reads).to.deep.equal([])
  })

  it('refuses a job without enough credits, states required and remaining ones, and writes nothing', async () => {
    for (let n = 0; n < 9; n++) await acme.post('/v1/transcript', generate)
    for (let n = 0; n < 2; n++) await acme.post('/v1/transcript', native)
    const before = await acme.ledger()
    const refused = await acme.post('/v1/transcript', generate)
    expect(refused.status).to.equal(403)
    expect(refused.body.error).to.equal('forbidden')
    const details = { reason: 'insufficient_credits', required: 5, remaining: 3, held: 47 }
    expect(refused.body.details).to.deep.equal(details)
    expect(await acme.ledger()).to.deep.equal(before)
    const auto = await acme.post('/v1/transcript', { url })
    expect((await jobOf(auto.body.jobId))[0]?.data).to.include({ budget: 1, mode: 'auto' })
    expect(await acme.credits()).to.equal(2)
  })

  describe('under an Idempotency-Key', () => {
    it('creates one job and one debit from eight posts at once, and from a repeat', async () => {
      const posts = Array.from({ length: 8 }, () => acme.post('/v1/transcript', native, byKey('order 1')))
      const answers = [...(await Promise.all(posts)), await acme.post('/v1/transcript', native, byKey('order 1'))]
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(9).fill(202))
      expect(new Set(answers.map(({ text }) => text)).size).to.equal(1)
      expect(await acme.credits()).to.equal(49)
      const spelled = await acme.post('/v1/transcript', { mode: 'native', url: `${url}#t=3` }, byKey('order 1'))
      expect(spelled.text).to.equal(answers[0]?.text)
    })

    it('creates one job from posts to two nodes at once', async () => {
      await using other = await startIngress({ clock, store: ingress.memory })
      const post = { key: acme.key, json: native, ...byKey('k') }
      const answers: unknown[] = []
      // Both nodes saw no debit when they decided. This one appends second.
      ingress.store.fault = async (_stream, _events, proceed) => {
        ingress.store.fault = undefined
        answers.push((await other.call('POST', '/v1/transcript', post)).body)
        return proceed()
      }
      answers.push((await ingress.call('POST', '/v1/transcript', post)).body)
      expect(answers).to.have.length(2)
      expect(answers[0]).to.deep.equal(answers[1])
      expect(typesOf(await acme.ledger()).filter((type) => type === 'CreditsDebited')).to.have.length(1)
    })

    it('stands for another job after 24 hours', async () => {
      const later = new ManualClock()
      await using ingress = await startIngress({ clock: later })
      const acme = await ingress.org()
      const first = await acme.post('/v1/transcript', native, byKey('k'))
      await later.jump(24 * 3600_000)
      expect((await acme.post('/v1/transcript', native, byKey('k'))).text).to.equal(first.text)
      await later.advance(1)
      const second = await acme.post('/v1/transcript', native, byKey('k'))
      expect([second.status, second.text === first.text]).to.deep.equal([202, false])
    })

    it('refuses another request with 409, even while the first has only its debit', async () => {
      await acme.post('/v1/transcript', native, byKey('k'))
      expect((await acme.post('/v1/transcript', generate, byKey('k'))).body.error).to.equal('idempotency_conflict')
      refuseJobs()
      expect((await acme.post('/v1/transcript', native, byKey('half'))).status).to.equal(503)
      expect((await acme.post('/v1/transcript', generate, byKey('half'))).status).to.equal(409)
      expect(await acme.credits()).to.equal(48)
    })

    it('counts per organization', async () => {
      const other = await ingress.org()
      const one = await acme.post('/v1/transcript', native, byKey('k'))
      const two = await other.post('/v1/transcript', generate, byKey('k'))
      expect(two.status).to.equal(202)
      expect(two.body.jobId).to.not.equal(one.body.jobId)
    })

    it('creates a new job once the orchestrator has refunded the debit, and never continues the old one', async () => {
      refuseJobs()
      const lost = await acme.post('/v1/transcript', native, byKey('k'))
      ingress.store.fault = undefined
      const { jobId } = lost.body.details
      const { metadata } = (await acme.ledger()).at(-1) as StoredEvent
      await refuseJob(streams.job(jobId), metadata)
      const again = await acme.post('/v1/transcript', native, byKey('k'))
      expect(again.status).to.equal(202)
      expect(again.body.jobId).to.not.equal(jobId)
    })

    it('is 1 to 255 printable ASCII characters', async () => {
      for (const key of ['', 'x'.repeat(256), 'é']) {
        const { status, body } = await acme.post('/v1/transcript', native, byKey(key))
        expect([status, body.details[0].path], key).to.deep.equal([400, 'Idempotency-Key'])
      }
      expect((await acme.post('/v1/transcript', native, byKey('x'.repeat(255)))).status).to.equal(202)
    })
  })

  describe('when the store fails', () => {
    it('repeats lost answers without a second debit or a second job', async () => {
      const lost = loseAnswers()
      const { status, body } = await acme.post('/v1/transcript', native)
      expect(status).to.equal(202)
      expect(lost.size).to.equal(2)
      expect(await jobOf(body.jobId)).to.have.length(1)
      expect(await acme.credits()).to.equal(49)
    })

    it('answers 503 with the id of a job that it could not write in time; a repeat resumes it', async () => {
      refuseJobs()
      const late = await acme.post('/v1/transcript', native, byKey('k'))
      expect([late.status, late.body.error]).to.deep.equal([503, 'unavailable'])
      ingress.store.fault = undefined
      const again = await acme.post('/v1/transcript', native, byKey('k'))
      expect(again.body).to.deep.equal({ jobId: late.body.details.jobId, status: 'queued' })
      expect(await acme.credits()).to.equal(49)
      expect((await jobOf(again.body.jobId))[0]?.data).to.include({ budget: 1 })
    })

    it('answers 503 when the debit cannot be appended, and leaves no job', async () => {
      ingress.store.fault = () => Promise.reject(new Error('gone'))
      const answer = await acme.post('/v1/transcript', native)
      expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '1'])
      expect(ingress.store.appends.filter(({ stream }) => stream.startsWith('job-'))).to.deep.equal([])
      ingress.store.fault = undefined
      expect(await acme.credits()).to.equal(50)
    })

    it('answers 503 for a job that the orchestrator has just declared not accepted', async () => {
      ingress.store.fault = async (stream, [event], proceed) => {
        if (event?.type !== 'JobRequested') return proceed()
        ingress.store.fault = undefined
        await refuseJob(stream, event.metadata)
        return proceed()
      }
      const answer = await acme.post('/v1/transcript', native)
      expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '1'])
    })
  })

  describe('if the store can append together', () => {
    const debits = async (): Promise<number> =>
      typesOf(await acme.ledger()).filter((type) => type === 'CreditsDebited').length

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
      const { metadata } = (await acme.ledger())[0] as StoredEvent
      let calls = 0
      ingress.store.canAppendTogether(async (appends, proceed) => {
        const [, first] = appends
        if (calls++ === 0 && first !== undefined) await refuseJob(first.stream, metadata)
        return proceed()
      })
      const answers = await Promise.all([1, 2, 3].map(() => acme.post('/v1/transcript', native)))
      expect(answers.map(({ status }) => status)).to.deep.equal([202, 202, 202])
      expect(await debits()).to.equal(3)
    })

    it('continues from the open debit of a process that could not append together', async () => {
      refuseJobs()
      const lost = await acme.post('/v1/transcript', native, byKey('k'))
      ingress.store.fault = undefined
      ingress.store.canAppendTogether()
      const again = await acme.post('/v1/transcript', native, byKey('k'))
      expect([again.status, again.body.jobId]).to.deep.equal([202, lost.body.details.jobId])
      expect(await debits()).to.equal(1)
    })
  })

  describe('is counted', () => {
    let telemetry: RecordingTelemetry
    const counted = () => ({
      accepted: telemetry.valuesOf(metrics.jobsAccepted),
      debited: telemetry.valuesOf(metrics.creditsMoved),
    })
    const nativeOnce = {
      accepted: [
        {
          value: 1,
          attributes: { [names.kind]: 'transcript', [names.mode]: 'native', [names.platform]: 'direct' },
        },
      ],
      debited: [{ value: 1, attributes: { [names.creditsOperation]: 'debited', [names.kind]: 'transcript' } }],
    }

    beforeEach(async () => {
      await ingress[Symbol.asyncDispose]()
      telemetry = new RecordingTelemetry()
      ingress = await startIngress({ clock, telemetry, options: { giveUpAfterMs: 1500, extracts: true } })
      acme = await ingress.org()
    })

    it('by kind, mode and platform, with the debited credits', async () => {
      await acme.post('/v1/extract', { url: 'https://youtu.be/dQw4w9WgXcQ', prompt: 'What?' })
      expect(counted()).to.deep.equal({
        accepted: [{ value: 1, attributes: { [names.kind]: 'extraction', [names.platform]: 'youtube' } }],
        debited: [{ value: 10, attributes: { [names.creditsOperation]: 'debited', [names.kind]: 'extraction' } }],
      })
    })

    it('once, however often it is requested at once and again', async () => {
      const posts = Array.from({ length: 8 }, () => acme.post('/v1/transcript', native, byKey('k')))
      const answers = [...(await Promise.all(posts)), await acme.post('/v1/transcript', native, byKey('k'))]
      expect(counted()).to.deep.equal(nativeOnce)
      const [requested] = await jobOf(answers[0]?.body.jobId)
      const traces = new Set(answers.map(({ headers }) => headers.get('x-trace-id')))
      expect([...traces]).to.deep.equal([traceIdOf(requested?.metadata.traceparent ?? '')])
    })

    it("once if another process requests it at the same instant, with that one's trace", async () => {
      const other = newTraceparent(true)
      ingress.store.fault = async (stream, [event], proceed) => {
        if (event?.type !== 'JobRequested') return proceed()
        ingress.store.fault = undefined
        const metadata = { ...event.metadata, causationId: 'another request', traceparent: other }
        await ingress.store.append(stream, 'no-stream', [{ ...event, metadata }])
        return proceed()
      }
      const { status, body, headers } = await acme.post('/v1/transcript', native, byKey('k'))
      expect([status, headers.get('x-trace-id')]).to.deep.equal([202, traceIdOf(other)])
      expect(counted().accepted).to.deep.equal([])
      const [post] = telemetry.named('POST /v1/transcript')
      expect([post?.parentId, post?.links]).to.deep.equal([undefined, [jobSpanOf(body.jobId, other)]])
    })

    it('once if answers are lost, and if a later request takes up the debit of a failed one', async () => {
      refuseJobs()
      await acme.post('/v1/transcript', native, byKey('k'))
      expect(counted()).to.deep.equal({ ...nativeOnce, accepted: [] })
      loseAnswers()
      expect((await acme.post('/v1/transcript', native, byKey('k'))).status).to.equal(202)
      expect(counted()).to.deep.equal(nativeOnce)
    })

    it('not at all if it is refused', async () => {
      for (let n = 0; n < 10; n++) await acme.post('/v1/transcript', generate)
      telemetry.values.length = 0
      expect((await acme.post('/v1/transcript', generate)).status).to.equal(403)
      expect(counted()).to.deep.equal({ accepted: [], debited: [] })
    })
  })

  it('refuses an organization with too many open debits', async () => {
    const { metadata } = (await acme.ledger())[0] as StoredEvent
    const openDebits = Array.from({ length: MAX_OPEN_DEBITS }, (_, n) => {
      return { jobId: `j${n}`, credits: 1, requestHash: '0'.repeat(64), ...purpose, period: '2026-11', lapsed: false }
    })
    const spending = { period: '', keys: [] }
    const data = { balance: 50, plan: 'free', period: '', renewed: 0, fillings: 0, spending } as const
    const stated = {
      type: 'CreditsStated',
      data: { ...data, months: [] as string[], openDebits, holds: [] as never[] },
      id: crypto.randomUUID(),
      metadata,
    } as const
    await ingress.store.append(streams.credits(acme.orgId), 0, [stated])
    expect((await acme.post('/v1/transcript', native)).status).to.equal(503)
  })
})
