import { expect } from 'chai'
import {
  dayOf,
  nothingUsedByOne,
  type OrganizationUseDocument,
  organizationUseId,
} from '#packages/events/views/daily-use.ts'
import { streams } from '#packages/ports/ids.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'

const url = 'https://cdn.example.com/film.mp4'
const native = { url, mode: 'native' }
const generate = { url, mode: 'generate' }
const extraction = { url, prompt: 'What?' }
const byKey = (key: string) => ({ headers: { 'idempotency-key': key } })

describe('the daily caps', () => {
  let clock: ManualClock
  let ingress: StartedIngress
  let acme: Awaited<ReturnType<StartedIngress['org']>>
  let position: number
  const caps = { speechMinutesPerDay: 10, llmTokensPerDay: 1000 }
  const start = async (options: object) => {
    // The tests write the usage themselves and let days pass. A projector would look at the views in every second of
    // them.
    ingress = await startIngress({ clock, projected: false, options: { extracts: true, ...options } })
    acme = await ingress.org('pro')
  }

  /** Writes the usage that a projection has counted for today, and waits until older cached usage has expired. */
  const counted = async (use: Partial<OrganizationUseDocument>, orgId?: string, daysAgo = 0): Promise<void> => {
    const day = dayOf(clock.now() - daysAgo * 24 * 3600_000)
    const [collection, id] =
      orgId === undefined ? ['dailyUse', day] : ['organizationUse', organizationUseId(orgId, day)]
    const { state } = ingress.documents
    position = Math.max(position, state?.applied ?? 0) + 1
    await ingress.views.apply([{ collection, id, position, fields: { ...nothingUsedByOne, ...use } }], {
      position: 0,
    })
    await clock.advance(ingressDefaults.staleAfterMs)
  }
  const statuses = async (): Promise<Record<string, number>> => ({
    native: (await acme.post('/v1/transcript', native)).status,
    auto: (await acme.post('/v1/transcript', { url })).status,
    generate: (await acme.post('/v1/transcript', generate)).status,
    extraction: (await acme.post('/v1/extract', extraction)).status,
  })

  beforeEach(() => {
    clock = new ManualClock(Date.UTC(2026, 10, 21, 18, 0, 0))
    position = 0
  })
  afterEach(() => ingress[Symbol.asyncDispose]())

  it('allow everything until they are reached', async () => {
    await start(caps)
    const all = { native: 202, auto: 202, generate: 202, extraction: 202 }
    expect(await statuses()).to.deep.equal(all)
    await counted({ speechSeconds: 599.9, tokens: 999 })
    expect(await statuses()).to.deep.equal(all)
  })

  it('on speech refuse jobs that may need it, and accept jobs that only read captions', async () => {
    await start(caps)
    await counted({ speechSeconds: 600 })
    expect(await statuses()).to.deep.equal({ native: 202, auto: 503, generate: 503, extraction: 503 })
  })

  it('on tokens refuse extractions only', async () => {
    await start(caps)
    await counted({ tokens: 1000 })
    expect(await statuses()).to.deep.equal({ native: 202, auto: 202, generate: 202, extraction: 503 })
  })

  it('name themselves, say what is still possible and when there is more, and debit nothing', async () => {
    await start(caps)
    await counted({ speechSeconds: 600, tokens: 1000 })
    await clock.advance(400.5)
    const before = await acme.ledger()
    const spoken = await acme.post('/v1/transcript', generate)
    expect([spoken.status, spoken.body.error]).to.deep.equal([503, 'unavailable'])
    expect(spoken.body.message).to.equal(
      'The speech-to-text for today is used up (SPEECH_MINUTES_PER_DAY); there is more from 2026-11-22T00:00:00Z on. ' +
        'Transcripts of captions are still made, with mode "native". Nothing was charged.',
    )
    expect(Number(spoken.headers.get('retry-after')), 'rounded up').to.equal(6 * 3600 - 1)
    const extracted = await acme.post('/v1/extract', extraction)
    expect(extracted.body.message).to.contain('LLM_TOKENS_PER_DAY').and.to.contain('2026-11-22T00:00:00Z')
    expect(await acme.ledger()).to.deep.equal(before)
    expect(await acme.credits()).to.equal(2050)
  })

  it('end at midnight UTC, as Retry-After said', async () => {
    await start(caps)
    await counted({ speechSeconds: 600 })
    const refused = await acme.post('/v1/transcript', generate)
    await clock.advance(Number(refused.headers.get('retry-after')) * 1000 - 1)
    expect((await acme.post('/v1/transcript', generate)).status).to.equal(503)
    await clock.advance(1)
    expect((await acme.post('/v1/transcript', generate)).status).to.equal(202)
  })

  it('answer a repeat with its job, and do not stop a job that was already debited', async () => {
    await start({ ...caps, giveUpAfterMs: 0 })
    const first = await acme.post('/v1/transcript', generate, byKey('first'))
    ingress.store.fault = (stream, _events, proceed) =>
      stream.startsWith('job-') ? Promise.reject(new Error('gone')) : proceed()
    const half = await acme.post('/v1/transcript', generate, byKey('half'))
    expect(half.status).to.equal(503)
    ingress.store.fault = undefined
    await counted({ speechSeconds: 600 })
    expect((await acme.post('/v1/transcript', generate, byKey('first'))).text).to.equal(first.text)
    const whole = await acme.post('/v1/transcript', generate, byKey('half'))
    expect([whole.status, whole.body.jobId]).to.deep.equal([202, half.body.details.jobId])
    expect(await ingress.memory.read(streams.job(whole.body.jobId))).to.have.length(1)
    expect((await acme.post('/v1/transcript', generate, byKey('third'))).status).to.equal(503)
  })

  it('are logged once a day each', async () => {
    await start(caps)
    const logged = () => ingress.lines.filter(({ cap }) => cap !== undefined).map(({ cap, day }) => [cap, day])
    await counted({ speechSeconds: 600, tokens: 1000 })
    for (let n = 0; n < 3; n++) await statuses()
    expect(logged()).to.deep.equal([
      ['SPEECH_MINUTES_PER_DAY', '2026-11-21'],
      ['LLM_TOKENS_PER_DAY', '2026-11-21'],
    ])
    await clock.advance(24 * 3600_000)
    await counted({ speechSeconds: 600 })
    await statuses()
    expect(logged().slice(2)).to.deep.equal([['SPEECH_MINUTES_PER_DAY', '2026-11-22']])
  })

  describe('that one organization may use up a share of', () => {
    beforeEach(() => start({ ...caps, capSharePerOrganization: 0.5 }))

    it('refuse an organization that has used up its share, and no other', async () => {
      await counted({ speechSeconds: 300 })
      await counted({ speechSeconds: 299 }, acme.orgId)
      expect(await statuses()).to.include({ auto: 202, generate: 202 })
      await counted({ speechSeconds: 300 }, acme.orgId)
      expect(await statuses()).to.deep.equal({ native: 202, auto: 503, generate: 503, extraction: 503 })
      const refused = await acme.post('/v1/transcript', generate)
      expect(refused.body.message)
        .to.contain('(SPEECH_MINUTES_PER_DAY, the share of one organization)')
        .and.to.contain('2026-11-22T00:00:00Z')
      const other = await ingress.org('pro')
      expect((await other.post('/v1/transcript', generate)).status).to.equal(202)
    })

    it('refuse everyone once the whole cap is reached', async () => {
      await counted({ speechSeconds: 600 })
      expect((await acme.post('/v1/transcript', generate)).body.message).to.contain('(SPEECH_MINUTES_PER_DAY)')
    })

    it('log a share once a day for each organization', async () => {
      const other = await ingress.org('pro')
      for (const { orgId } of [acme, other]) await counted({ tokens: 500 }, orgId)
      for (const { post } of [acme, other, acme, other])
        expect((await post('/v1/extract', extraction)).status).to.equal(503)
      const logged = ingress.lines.filter(({ cap }) => cap !== undefined).map(({ cap, orgId }) => [cap, orgId])
      expect(logged).to.deep.equal([
        ['LLM_TOKENS_PER_DAY', acme.orgId],
        ['LLM_TOKENS_PER_DAY', other.orgId],
      ])
    })
  })

  describe('leave half of a cap to others', () => {
    beforeEach(() => start(caps))

    for (const daysAgo of [0, 6])
      it(`who used the same ${daysAgo} days ago`, async () => {
        await counted({ tokens: 500 }, acme.orgId)
        await counted({ tokens: daysAgo === 0 ? 501 : 500 })
        if (daysAgo > 0) await counted({ tokens: 1 }, undefined, daysAgo)
        expect(await statuses()).to.deep.equal({ native: 202, auto: 202, generate: 202, extraction: 503 })
        const { body } = await acme.post('/v1/extract', extraction)
        expect(body.message).to.contain('(LLM_TOKENS_PER_DAY, the share of one organization)')
      })

    it('and all of it to one organization alone, even if others used it a week ago', async () => {
      await counted({ tokens: 999 }, acme.orgId)
      await counted({ tokens: 999 })
      await counted({ tokens: 1 }, undefined, 7)
      expect((await statuses()).extraction).to.equal(202)
    })
  })

  describe('of unpaid jobs', () => {
    const own = (use: Partial<OrganizationUseDocument>) => counted(use, acme.orgId)
    const open = { native: 202, auto: 202, generate: 202, extraction: 202 }
    const refused = { native: 202, auto: 202, generate: 503, extraction: 503 }

    it('refuse further ones after ten, even without a cap, say why and charge nothing', async () => {
      await start({})
      await own({ unpaidJobs: 9 })
      expect(await statuses()).to.deep.equal(open)
      await own({ unpaidJobs: 10 })
      expect(await statuses()).to.deep.equal(refused)
      const before = await acme.ledger()
      const { body, headers } = await acme.post('/v1/extract', extraction)
      expect(body.message).to.equal(
        'Work that was not charged for: jobs that were cancelled, or came to no result by what they ask for, 10 today; ' +
          'there is more from 2026-11-22T00:00:00Z on. Mode "auto" and "native" still make transcripts of captions. ' +
          'Nothing was charged.',
      )
      expect(Number(headers.get('retry-after'))).to.be.greaterThan(5 * 3600)
      expect(await acme.ledger()).to.deep.equal(before)
      const other = await ingress.org('pro')
      expect((await other.post('/v1/extract', extraction)).status).to.equal(202)
      await clock.advance(6 * 3600_000)
      expect(await statuses(), 'after midnight').to.deep.equal(open)
    })

    it('leave captions to mode "auto": its job only reads captions, at their price', async () => {
      await start({})
      await own({ unpaidJobs: 10 })
      const { body } = await acme.post('/v1/transcript', { url }, byKey('auto'))
      const [requested] = await ingress.memory.read(streams.job(body.jobId))
      expect(requested?.data).to.include({ mode: 'native', budget: 1 })
      expect((await acme.post('/v1/transcript', { url }, byKey('auto'))).body.jobId, 'a repeat').to.equal(body.jobId)
    })

    it('are a fifth of the charged ones if that is more', async () => {
      await start({})
      await own({ unpaidJobs: 19, chargedJobs: 100 })
      expect(await statuses()).to.deep.equal(open)
      await own({ unpaidJobs: 20, chargedJobs: 100 })
      expect(await statuses()).to.deep.equal(refused)
    })

    it('use at most a tenth of a cap', async () => {
      await start(caps)
      await own({ unpaidJobs: 1, unpaid: { tokens: 99, speechSeconds: 59 } })
      expect(await statuses()).to.deep.equal(open)
      await own({ unpaidJobs: 1, unpaid: { tokens: 100, speechSeconds: 0 } })
      expect(await statuses()).to.deep.equal({ ...open, extraction: 503 })
      await own({ unpaidJobs: 1, unpaid: { tokens: 0, speechSeconds: 60 } })
      expect(await statuses()).to.deep.equal(refused)
    })
  })

  describe('read the view', () => {
    let reads: string[]
    const watch = (): void => {
      const { views } = ingress
      const get = views.get.bind(views)
      reads = []
      views.get = (collection, id) => {
        if (collection.endsWith('Use')) reads.push(collection)
        return get(collection, id)
      }
    }

    it('once for all requests of a second', async () => {
      await start(caps)
      watch()
      await Promise.all([statuses(), statuses()])
      expect(reads.sort()).to.deep.equal(['dailyUse', 'organizationUse'])
      await clock.advance(ingressDefaults.staleAfterMs)
      await statuses()
      expect(reads.sort()).to.deep.equal(['dailyUse', 'dailyUse', 'organizationUse', 'organizationUse'])
    })

    it('and refuse no one while it cannot be read, and say so in the log', async () => {
      await start(caps)
      await counted({ speechSeconds: 600 })
      ingress.views.get = () => Promise.reject(new Error('the disk is gone'))
      expect((await acme.post('/v1/transcript', generate)).status).to.equal(202)
      expect(ingress.lines.filter(({ msg }) => String(msg).includes('daily caps refuse nobody'))).to.have.length(2)
    })
  })
})
