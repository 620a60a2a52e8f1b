import { expect } from 'chai'
import { assertRefused, eachIngressInTime } from '#test/doubles/ingress/each-ingress.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { settle } from '#test/doubles/manual-clock.ts'

const url = 'https://cdn.example.com/film.mp4'
const segments = [{ start: 0, end: 2, text: 'Welcome.' }]

describe('the credits of an organization', () => {
  const { ingress, acme, clock } = eachIngressInTime(undefined, Date.UTC(2026, 10, 21, 18, 0, 0))

  it('are shown with those that jobs hold, and the next renewal', async () => {
    const starter = await ingress.org('starter')
    const renewal = { at: '2026-12-01T00:00:00.000Z', credits: 500 }
    const full = { plan: 'starter', period: '2026-11', available: 550, held: 0, renewal }
    expect((await starter.get('/v1/credits')).body).to.deep.equal(full)
    const { jobId } = (await starter.post('/v1/transcript', { url })).body
    expect((await starter.get('/v1/credits')).body).to.deep.equal({ ...full, available: 545, held: 5 })
    await endJob(ingress, jobId, { segments })
    const answer = await starter.get('/v1/credits')
    expect(answer.body).to.deep.equal({ ...full, available: 549 })
    expect(answer.headers.get('x-ratelimit-limit')).to.equal('120')
  })

  it('of the plan Free have no month and no renewal', async () => {
    const free = { plan: 'free', period: null, available: 50, held: 0, renewal: null }
    expect((await acme.get('/v1/credits')).body).to.deep.equal(free)
  })

  it('are shown as renewed in a new month, before the ledger is written', async () => {
    const pro = await ingress.org('pro')
    await clock.jump(20 * 24 * 3600_000)
    const { body } = await pro.get('/v1/credits')
    expect(body).to.include({ period: '2026-12', available: 2000 })
    expect(body.renewal).to.deep.equal({ at: '2027-01-01T00:00:00.000Z', credits: 2000 })
  })

  describe('line by line', () => {
    const path = '/v1/credits/transactions'

    /** The organization gets one settled and one unsettled job. */
    async function busy() {
      const { jobId } = (await acme.post('/v1/transcript', { url })).body
      await endJob(ingress, jobId, { segments })
      const second = (await acme.post('/v1/transcript', { url, mode: 'native' })).body.jobId
      return { jobId, second }
    }

    it('name the job and the key of each line, in pages', async () => {
      const { jobId, second } = await busy()
      const { keyId } = acme
      const createdAt = '2026-11-21T18:00:00.000Z'
      const of = { operation: 'transcript', keyId, batchId: null, createdAt }
      const first = await acme.get(`${path}?limit=2`)
      expect(first.body.transactions).to.deep.equal([
        { type: 'debit', amount: -1, balance: 48, reason: null, jobId: second, ...of },
        { type: 'settlement', amount: 4, balance: 49, reason: 'test', jobId, ...of },
      ])
      const { nextCursor } = first.body
      expect(first.headers.get('link')).to.equal(`<?cursor=${nextCursor}&limit=2>; rel="next"`)
      const rest = await acme.get(`${path}?limit=2&cursor=${nextCursor}`)
      expect(rest.body.nextCursor).to.equal(null)
      expect(rest.headers.get('link')).to.equal(null)
      expect(rest.body.transactions).to.deep.equal([
        { type: 'debit', amount: -5, balance: 45, reason: null, jobId, ...of },
        { type: 'grant', amount: 50, balance: 50, reason: 'sign_up', jobId: null, ...of, operation: null, keyId: null },
      ])
    })

    it('come as CSV if Accept prefers it', async () => {
      const { jobId } = await busy()
      const answer = await acme.get(`${path}?limit=3`, { headers: { accept: 'text/csv, application/json;q=0.5' } })
      expect(answer.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
      expect(answer.headers.get('vary')).to.equal('Accept')
      expect(answer.headers.get('link')).to.match(/^<\?cursor=\d+&limit=3>; rel="next"$/)
      const [head, , line, ...rest] = answer.text.split('\r\n')
      expect(head).to.equal('createdAt,type,amount,balance,reason,jobId,operation,keyId')
      expect(line).to.equal(`2026-11-21T18:00:00.000Z,settlement,4,49,test,${jobId},transcript,${acme.keyId}`)
      expect(rest).to.have.length(2)
      expect((await acme.get(path, { headers: { accept: 'image/png' } })).body.transactions).to.have.length(4)
    })

    it('are never those of another organization', async () => {
      await busy()
      const other = await ingress.org()
      expect((await other.get(path)).body.transactions).to.have.length(1)
    })

    it('refuse invalid parameters by name', async () => {
      await assertRefused(acme, path, { limit: ['?limit=0', '?limit=501'], cursor: ['?cursor=7'] })
    })
  })

  describe('in the headers of answers about a job', () => {
    const creditsOf = ({ headers }: { headers: Headers }) =>
      ['held', 'charged', 'remaining'].map((name) => headers.get(`x-credits-${name}`))

    it('are first those that the job holds, then its cost, and the remaining ones', async () => {
      const accepted = await acme.post('/v1/transcript', { url })
      expect(creditsOf(accepted)).to.deep.equal(['5', null, '45'])
      const path = `/v1/transcript/${accepted.body.jobId}`
      expect(creditsOf(await acme.get(path)), 'queued').to.deep.equal([null, null, null])
      await endJob(ingress, accepted.body.jobId, { segments })
      await settle()
      const ended = await acme.get(path)
      expect(creditsOf(ended)).to.deep.equal([null, '1', '49'])
      const etag = ended.headers.get('etag') ?? ''
      for (const headers of [{}, { accept: 'text/vtt' }, { 'if-none-match': etag }] as Record<string, string>[])
        expect(creditsOf(await acme.get(path, { headers }))).to.deep.equal([null, '1', '49'])
    })

    it('are 0 for a failed job, also for one that timed out', async () => {
      for (const code of ['no_speech', 'timeout']) {
        const { jobId } = (await acme.post('/v1/transcript', { url })).body
        await endJob(ingress, jobId, { code })
        await settle()
        expect(creditsOf(await acme.get(`/v1/transcript/${jobId}`))).to.deep.equal([null, '0', '50'])
      }
    })

    it('are those of the first answer if a request is repeated', async () => {
      const headers = { 'idempotency-key': 'k' }
      const first = await acme.post('/v1/transcript', { url }, { headers })
      await endJob(ingress, first.body.jobId, { segments })
      expect(creditsOf(await acme.post('/v1/transcript', { url }, { headers }))).to.deep.equal(['5', null, '49'])
    })

    it('need no read of the ledger for polls of queued jobs and repeated polls', async () => {
      const { jobId } = (await acme.post('/v1/transcript', { url })).body
      await settle()
      ingress.store.reads.length = 0
      await acme.get(`/v1/transcript/${jobId}`)
      expect(ingress.store.reads).to.deep.equal([])
      await endJob(ingress, jobId, { segments })
      await settle()
      await acme.get(`/v1/transcript/${jobId}`)
      ingress.store.reads.length = 0
      await acme.get(`/v1/transcript/${jobId}`)
      expect(ingress.store.reads).to.deep.equal([])
    })

    it('do not delay a poll if the ledger cannot be read', async () => {
      const { jobId } = (await acme.post('/v1/transcript', { url })).body
      await endJob(ingress, jobId, { segments })
      await settle()
      let asked = false
      ingress.store.read = () => {
        asked = true
        return new Promise(() => {})
      }
      const answer = acme.get(`/v1/transcript/${jobId}`)
      while (!asked) await settle()
      await clock.advance(250)
      expect(creditsOf(await answer)).to.deep.equal([null, '1', '49'])
    })
  })
})
