/** The last credits of an organization, over HTTP. */
import { expect } from 'chai'
import { openedForAll } from '#test/doubles/opened.ts'
import { audit } from '#test/doubles/service/audit.ts'
import type { Answer } from '#test/doubles/service/client.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'

const countOf = (answers: readonly Answer[], status: number): number =>
  answers.filter((answer) => answer.status === status).length

describe('credits', function () {
  this.timeout(120_000)
  const setting = openedForAll(() => Setting.start({ media: ['captioned.mp4', 'speech.mp4'] }))

  /** The end of the feed, while nothing is at work. */
  const end = async (): Promise<number> => (await setting.backDoor()).end()

  it('auto with 3 credits left serves captions for 1', async () => {
    const me = await setting.client({ credits: 3 })
    const { body } = await me.run({ url: at('/captioned.mp4') })
    expect(body.resultJson).to.include({ source: 'captions' })
    expect(await me.credits()).to.equal(2)
  })

  it('auto with 3 credits left and no captions fails for lack of credits, refunded', async () => {
    const me = await setting.client({ credits: 3 })
    const { body } = await me.run({ url: at('/speech.mp4') })
    expect(body).to.include({ status: 'failed', resultJson: null })
    expect(body.error).to.have.property('code', 'insufficient_credits')
    expect(await me.credits()).to.equal(3)
  })

  it('at 0 credits every job is 403 and writes nothing; free requests still work', async () => {
    const me = await setting.client({ credits: 0 })
    const before = await end()
    const plansUrl = `${setting.service.base}/dashboard/plans`
    for (const [mode, required] of Object.entries({ native: 1, auto: 1, generate: 5 })) {
      const { status, body } = await me.transcript({ url: at('/captioned.mp4'), mode })
      expect(status).to.equal(403)
      expect(body).to.include({ error: 'forbidden' })
      expect(body.details).to.deep.equal({ reason: 'insufficient_credits', required, remaining: 0, plansUrl })
    }
    expect(await end()).to.equal(before)
    expect((await me.get('/v1/keys')).status).to.equal(200)
    expect(await me.credits()).to.equal(0)
  })

  it('what the operator grants can be used', async () => {
    const me = await setting.client({ credits: 0 })
    expect((await me.transcript({ url: at('/captioned.mp4'), mode: 'native' })).status).to.equal(403)
    expect(await setting.service.org('grant', me.orgId, '1')).to.include({ code: 0 })
    const { body } = await me.run({ url: at('/captioned.mp4'), mode: 'native' })
    expect(body.status).to.equal('completed')
    expect(await me.credits()).to.equal(0)
  })

  it('when many posts race for the last credits, exactly as many are accepted as they pay for', async () => {
    const few = await setting.client({ credits: 3 })
    const some = await setting.client({ credits: 12 })
    const post = (me: typeof few, count: number, url: string, mode: string) =>
      Promise.all(Array.from({ length: count }, () => me.transcript({ url: at(url), mode })))
    const [natives, generates] = await Promise.all([
      post(few, 20, '/captioned.mp4', 'native'),
      post(some, 10, '/speech.mp4', 'generate'),
    ])
    expect([countOf(natives, 202), countOf(natives, 403)]).to.deep.equal([3, 17])
    expect([countOf(generates, 202), countOf(generates, 403)]).to.deep.equal([2, 8])
    const accepted = (answers: Answer[]) => answers.flatMap(({ body }) => body.jobId ?? [])
    const ends = await Promise.all([
      ...accepted(natives).map((jobId) => few.ended(jobId)),
      ...accepted(generates).map((jobId) => some.ended(jobId)),
    ])
    expect(ends.map(({ body }) => body.status)).to.deep.equal(Array(5).fill('completed'))
    expect([await few.credits(), await some.credits()]).to.deep.equal([0, 2])
  })

  it('the refund of a failed job can be spent at once', async () => {
    const me = await setting.client({ credits: 5 })
    for (const file of ['/nothing.mp4', '/nothing.mp4', '/speech.mp4']) {
      const { body } = await me.run({ url: at(file), mode: 'generate' })
      expect(body.status).to.equal(file === '/speech.mp4' ? 'completed' : 'failed')
    }
    expect(await me.credits()).to.equal(0)
  })

  it('the answers and the events add up', async () => {
    const { complaints, balances } = audit(await setting.rest())
    expect(complaints).to.deep.equal([])
    for (const client of setting.clients) expect(await client.credits()).to.equal(balances.get(client.orgId))
  })
})
