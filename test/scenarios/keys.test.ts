/** Keys with limits, over HTTP: what they may do, how much of it, and until when. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect } from 'chai'
import { connectedHost } from '#test/doubles/mcp/connected-host.ts'
import { textOf } from '#test/doubles/mcp/mcp.harness.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { audit } from '#test/doubles/service/audit.ts'
import { Client } from '#test/doubles/service/client.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

const native = { url: at('/captioned.mp4'), mode: 'native' }

describe('a key for work', function () {
  this.timeout(120_000)
  const setting = openedForAll(() => Setting.start({ media: ['captioned.mp4'] }))
  const me = madeForAll(() => setting.client({ plan: 'pro' }))

  /** A client with a new key. Undefined if the limits are refused. */
  async function tryToMake(limits: object): Promise<Client | undefined> {
    const { status, body } = await me.post('/v1/keys', { name: 'limited', ...limits })
    if (status !== 201) return undefined
    return new Client(() => setting.service.base, { orgId: me.orgId, keyId: body.id ?? '', key: body.key ?? '' })
  }

  const make = async (limits: object): Promise<Client> => (await tryToMake(limits)) ?? expect.fail('no key was made')

  it('made by the operator does what its scopes allow, and names the missing one', async () => {
    const words = ['--scopes', 'jobs,read', '--monthly-credits', '1', '--expires', '2099-12-31', '--json']
    const made = await setting.service.printed('org', 'key', me.orgId, 'import', ...words)
    const key = new Client(() => setting.service.base, JSON.parse(made))
    expect((await key.run(native)).body.status).to.equal('completed')
    const { status, body } = await key.get('/v1/keys')
    expect([status, body.error, body.details]).to.deep.equal([403, 'forbidden', { reason: 'scope', required: 'keys' }])
    const limits = { scopes: ['jobs', 'read'], monthlyCredits: 1, expiresAt: '2099-12-31T00:00:00.000Z' }
    const listed = await me.read<{ id: string }[]>('/v1/keys')
    expect(listed.find(({ id }) => id === key.keyId)).to.deep.include({ name: 'import', ...limits })
  })

  it('takes its monthly credits and not one more, of many posts at once; other keys continue', async () => {
    const key = await make({ monthlyCredits: 3 })
    const answers = await Promise.all(Array.from({ length: 12 }, () => key.transcript(native)))
    const accepted = answers.flatMap(({ status, body }) => (status === 202 ? [body.jobId ?? ''] : []))
    expect(accepted).to.have.length(3)
    for (const { status, body } of answers.filter((answer) => answer.status !== 202)) {
      expect([status, body.error]).to.deep.equal([403, 'forbidden'])
      expect(body.details).to.include({ reason: 'monthly_credits', required: 1 })
    }
    const ends = await Promise.all(accepted.map((jobId) => key.ended(jobId)))
    expect(ends.map(({ body }) => body.status)).to.deep.equal(Array(3).fill('completed'))
    expect((await key.transcript(native)).status, 'nothing was refunded').to.equal(403)
    expect((await me.run(native)).body.status).to.equal('completed')
  })

  it('is 401 once it has expired, and revokes itself if it may', async () => {
    let expiresAt = 0
    // It may expire before the service gets the request.
    const brief = await until('a key is made that has not expired yet', () => {
      expiresAt = Date.now() + 3000
      return tryToMake({ expiresAt: new Date(expiresAt).toISOString() })
    })
    const { status } = await brief.get('/v1/me')
    expect(status).to.be.oneOf(Date.now() < expiresAt ? [200] : [200, 401])
    await until('it expires', async () => (await brief.get('/v1/me')).status === 401)
    const own = await make({ scopes: ['keys'] })
    expect((await own.delete(`/v1/keys/${me.keyId}`)).status).to.equal(403)
    expect((await own.delete(`/v1/keys/${own.keyId}`)).status).to.equal(200)
    expect((await own.get('/v1/keys')).status).to.equal(401)
  })

  it('is refused by the tools in words', async () => {
    const { key } = await make({ scopes: ['jobs'] })
    const requestInit = { headers: { 'x-api-key': key } }
    const url = new URL(`${setting.service.base}/mcp`)
    await using host = await connectedHost(new StreamableHTTPClientTransport(url, { requestInit }))
    const told = textOf(await host.callTool({ name: 'get_video_metadata', arguments: { url: native.url } }))
    expect(told).to.match(/^code: forbidden\nmessage: .*scope read.*\n/)
    expect(told).to.match(/\nnext step: Tell the user that this API key lacks the permission; .*"read" and "jobs"/)
  })

  it('leaves ledgers that add up', async () => {
    const { complaints, balances } = audit(await setting.rest())
    expect(complaints).to.deep.equal([])
    expect(await me.credits()).to.equal(balances.get(me.orgId))
  })
})
