/**
 * What jobs hold, cost and leave, over HTTP: credits, transactions, usage, the list of jobs, refusals, shares of caps.
 */
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import type { Estimate, JobList, Usage } from '#contracts/generated/http.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { assertAddsUp } from '#test/doubles/service/audit.ts'
import type { Answer } from '#test/doubles/service/client.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

const native = { url: at('/captioned.mp4'), mode: 'native' }
const auto = { url: at('/captioned.mp4'), mode: 'auto' }
const broken = { url: at('/nothing.mp4'), mode: 'generate' }

const creditsOf = ({ headers }: Answer) =>
  ['held', 'charged', 'remaining'].map((name) => headers.get(`x-credits-${name}`))

type Ledger = { transactions: { type: string; amount: number; balance: number; jobId: string | null }[] }

describe('usage', function () {
  this.timeout(180_000)
  const setting = openedForAll(() =>
    Setting.start({
      media: ['captioned.mp4', 'speech.mp4'],
      files: { '/held.mp4': (_request, response) => held.resolve(response) },
      env: { SPEECH_MINUTES_PER_DAY: '1', CAP_SHARE_PER_ORGANIZATION: '0.001' },
    }),
  )
  const me = madeForAll(() => setting.client({ plan: 'starter' }))
  /** The answer to the request for `/held.mp4`, which waits until a test gives it. */
  const held = Promise.withResolvers<ServerResponse>()

  it('is in the headers of a job, from what it holds to what it has cost', async () => {
    const accepted = await me.transcript(auto)
    expect(creditsOf(accepted)).to.deep.equal(['5', null, '545'])
    expect(creditsOf(await me.ended(accepted.body.jobId ?? ''))).to.deep.equal([null, '1', '549'])
    expect(creditsOf(await me.run(broken))).to.deep.equal([null, '0', '549'])
    const credits = await me.read('/v1/credits')
    expect(credits).to.include({ plan: 'starter', available: 549, held: 0 })
  })

  it('adds up: the transactions to the balance, the usage to the transactions, also after a rebuild', async () => {
    await me.run(native)
    const { transactions } = await me.read<Ledger>('/v1/credits/transactions')
    let balance = 0
    for (const line of transactions.toReversed()) {
      balance += line.amount
      expect(line.balance).to.equal(balance)
    }
    expect(await me.credits()).to.equal(balance)
    const sumOf = (type: string) =>
      transactions.filter((line) => line.type === type).reduce((sum, { amount }) => sum + amount, 0)
    const totals = {
      jobs: 3,
      creditsCharged: -sumOf('debit') - sumOf('settlement'),
      creditsRefunded: sumOf('settlement'),
    }
    await until('the jobs are counted', async () => (await me.read<Usage>('/v1/usage')).totals.jobs === totals.jobs)
    const groups = async (groupBy: string) => {
      const usage = await me.read<Usage>(`/v1/usage?groupBy=${groupBy}`)
      expect(usage.totals).to.deep.equal(totals)
      return usage.groups
    }
    const all = async () => Promise.all(['day', 'operation', 'key', 'platform'].map(groups))
    const before = await all()
    expect(before.slice(1)).to.deep.equal([
      [{ group: 'transcript', ...totals }],
      [{ group: me.keyId, ...totals }],
      [{ group: 'direct', ...totals }],
    ])
    await setting.service.printed('projections', 'rebuild')
    expect(await all()).to.deep.equal(before)
    const csv = await me.get('/v1/credits/transactions?limit=1', { accept: 'text/csv' })
    expect(csv.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    expect(csv.text.split('\r\n')).to.have.length(3)
  })

  it('is listed job by job, with filters', async () => {
    const listed = async (query: string) => (await me.read<JobList>(`/v1/jobs?${query}`)).jobs
    const [failed] = await listed('status=failed')
    expect(failed).to.include({ mode: 'generate', errorCode: 'video_unavailable', creditsCharged: 0, language: null })
    const [newest, oldest] = await listed(`status=completed&platform=direct&keyId=${me.keyId}`)
    expect(newest).to.include({ mode: 'native', creditsCharged: 1, keyId: me.keyId, language: 'de', errorCode: null })
    expect(newest?.durationSeconds).to.be.closeTo(4, 4)
    expect(await listed(`createdBefore=${newest?.createdAt}&status=completed`)).to.deep.equal([oldest])
    expect(await listed(`createdAfter=${newest?.createdAt}`)).to.deep.equal([])
    expect(await listed('platform=youtube')).to.deep.equal([])
  })

  it('is refused for lack of credits without using up heavy requests, and the answer names what is held', async () => {
    const poor = await setting.client({ credits: 5 })
    const remainingOf = ({ headers }: Answer) => Number(headers.get('x-ratelimit-remaining'))
    const jobId = await poor.enqueue({ url: at('/held.mp4') })
    const refused = await poor.transcript(auto)
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([403, '5'])
    const plansUrl = `${setting.service.base}/dashboard/plans`
    const details = { reason: 'insufficient_credits', required: 1, remaining: 0, held: 5, plansUrl }
    expect(refused.body.details).to.deep.equal(details)
    expect(await poor.read('/v1/credits')).to.include({ available: 0, held: 5 })
    const response = await held.promise
    response.writeHead(404).end()
    expect((await poor.ended(jobId)).body.status).to.equal('failed')
    const broke = await setting.client({ credits: 0 })
    for (let n = 0; n < 3; n++) {
      const answer = await broke.transcript(native)
      expect([answer.status, remainingOf(answer)]).to.deep.equal([403, 30])
    }
    const invalid = await broke.transcript({ url: 'bad' })
    expect([invalid.status, remainingOf(invalid)]).to.deep.equal([400, 29])
  })

  it('of one organization has a share of a daily cap, and spares the others', async () => {
    const greedy = await setting.client({ plan: 'pro' })
    const generate = { url: at('/speech.mp4'), mode: 'generate' }
    await greedy.run(generate)
    // Estimates use up nothing. Accepted jobs would take from the share of the other organization.
    const estimate = async () => (await greedy.post('/v1/estimate', generate)).body as Partial<Estimate>
    await until('its share is used up', async () => (await estimate()).refusal?.status === 503, { everyMs: 200 })
    const refused = await greedy.transcript(generate)
    expect(refused.status).to.equal(503)
    expect(refused.body.message).to.contain('SPEECH_MINUTES_PER_DAY, the share of one organization')
    const other = await setting.client({ credits: 5 })
    expect((await other.run(generate)).body.status).to.equal('completed')
  })

  it('leaves ledgers that add up', () => assertAddsUp(setting))
})
