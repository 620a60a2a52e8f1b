import { expect } from 'chai'
import { assertRefused, eachIngressInTime } from '#test/doubles/ingress/each-ingress.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'

const url = 'https://cdn.example.com/film.mp4'
const segments = [{ start: 0, end: 2, text: 'Welcome.' }]

describe('GET /v1/usage', () => {
  const { ingress, acme, clock } = eachIngressInTime(undefined, Date.UTC(2026, 10, 21, 18, 0, 0))

  async function run(end: Parameters<typeof endJob>[2]): Promise<void> {
    const { jobId } = (await acme.post('/v1/transcript', { url })).body
    await endJob(ingress, jobId, end)
    // The sums arrive within a second.
    await clock.advance(1000)
  }

  it('sums up the cost of ended jobs, by day by default', async () => {
    await run({ segments })
    await clock.jump(24 * 3600_000)
    await run({ code: 'no_speech' })
    const [one, two] = [
      { jobs: 1, creditsCharged: 1, creditsRefunded: 4 },
      { jobs: 1, creditsCharged: 0, creditsRefunded: 5 },
    ]
    const totals = { jobs: 2, creditsCharged: 1, creditsRefunded: 9 }
    expect((await acme.get('/v1/usage')).body).to.deep.equal({
      from: '2026-10-24',
      to: '2026-11-22',
      groupBy: 'day',
      groups: [
        { group: '2026-11-21', ...one },
        { group: '2026-11-22', ...two },
      ],
      totals,
    })
    const byKey = await acme.get('/v1/usage?groupBy=key&from=2026-11-21&to=2026-11-22')
    expect(byKey.body.groups).to.deep.equal([{ group: acme.keyId, ...totals }])
    expect(byKey.headers.get('x-ratelimit-limit')).to.equal('120')
  })

  it('leaves out days that retention may have cut, and says where it begins', async () => {
    await using kept = await startIngress({ clock, options: { retentionDays: 3 } })
    const { get } = await kept.org()
    expect((await get('/v1/usage')).body).to.include({ from: '2026-11-19', to: '2026-11-21' })
    const { status, body } = await get('/v1/usage?from=2026-11-01&to=2026-11-18')
    expect([status, body.details?.[0]?.path]).to.deep.equal([400, 'to'])
  })

  it('refuses invalid parameters by name', async () => {
    const ranges = ['yesterday', '2026-02-30', '2026-11-22&to=2026-11-21', '2026-01-01&to=2026-11-21']
    await assertRefused(acme, '/v1/usage', {
      groupBy: ['?groupBy=mode'],
      from: ranges.map((from) => `?from=${from}`),
      to: ['?to=2026-11-21T00:00:00Z'],
    })
  })
})
