import { expect } from 'chai'
import { accountHarness, accountOf, eachHarness } from './accounts.harness.ts'

const DAY_MS = 24 * 60 * 60 * 1000

describe('sessions', () => {
  const harness = eachHarness()
  beforeEach(() => harness.accounts.create(accountOf({ id: 'ada' })))
  const begin = () => harness.sessions.begin('ada')

  it('are at most fifty for one person: then the least recently seen one ends', async () => {
    const first = await begin()
    const tokens: string[] = []
    for (let n = 0; n < 50; n++) {
      await harness.clock.advance(1)
      tokens.push(await begin())
    }
    expect(await harness.sessions.list('ada')).to.have.length(50)
    expect(await harness.sessions.who(first)).to.equal(undefined)
    for (const token of tokens) expect(await harness.sessions.who(token)).to.not.equal(undefined)
  })

  it('are known by a token of 32 random bytes, stored only as its hash', async () => {
    const [one, other] = [await begin(), await begin()]
    expect(Buffer.from(one, 'base64url')).to.have.length(32)
    expect(one).to.not.equal(other)
    expect((await harness.sessions.who(one))?.account.id).to.equal('ada')
    expect(JSON.stringify(await harness.sessions.list('ada'))).to.not.contain(one)
    for (const wrong of ['', 'x', `${one}x`]) expect(await harness.sessions.who(wrong)).to.equal(undefined)
  })

  it('last 30 days, and 14 without a request', async () => {
    const [busy, idle] = [await begin(), await begin()]
    await harness.clock.advance(13 * DAY_MS)
    expect(await harness.sessions.who(busy)).to.not.equal(undefined)
    await harness.clock.advance(1 * DAY_MS)
    expect(await harness.sessions.who(idle)).to.equal(undefined)
    expect(await harness.sessions.list('ada')).to.have.length(1)
    await harness.clock.advance(12 * DAY_MS)
    expect(await harness.sessions.who(busy)).to.not.equal(undefined)
    await harness.clock.advance(4 * DAY_MS)
    expect(await harness.sessions.who(busy)).to.equal(undefined)
  })

  it('are recorded as seen at most once a minute', async () => {
    const token = await begin()
    for (let second = 0; second < 130; second += 10) {
      await harness.sessions.who(token)
      await harness.clock.advance(10_000)
    }
    expect(harness.calls.filter((name) => name === 'seen')).to.have.length(2)
  })

  it('end everywhere with the next request, one by one, all but one, or with their account', async () => {
    const [mine, phone, old] = [await begin(), await begin(), await begin()]
    const elsewhere = accountHarness({ accounts: harness.accounts })
    const who = await harness.whoIs(mine)
    await harness.sessions.end(old)
    expect(await elsewhere.sessions.who(old)).to.equal(undefined)
    await harness.sessions.endOthers(who)
    expect(await elsewhere.sessions.who(phone)).to.equal(undefined)
    expect(await elsewhere.sessions.who(mine)).to.not.equal(undefined)
    await harness.accounts.remove('ada')
    expect(await elsewhere.sessions.who(mine)).to.equal(undefined)
  })

  it('are known without reading from their first request on, until one finds them ended', async () => {
    const token = await begin()
    expect(harness.sessions.held(token)).to.equal(undefined)
    await harness.sessions.who(token)
    const read = harness.calls.length
    expect(harness.sessions.held(token)).to.equal('ada')
    expect(harness.calls).to.have.length(read)
    await accountHarness({ accounts: harness.accounts }).sessions.end(token)
    await harness.sessions.who(token)
    expect(harness.sessions.held(token)).to.equal(undefined)
  })

  it('can be ended from the list only by their own person', async () => {
    await harness.accounts.create(accountOf({ id: 'eve' }))
    const [hers, his] = [await begin(), await harness.sessions.begin('eve')]
    const [ada, eve] = [await harness.whoIs(hers), await harness.whoIs(his)]
    await harness.sessions.endListed(eve, ada.session.hash)
    expect(await harness.sessions.who(hers)).to.not.equal(undefined)
    await harness.sessions.endListed(ada, ada.session.hash)
    expect(await harness.sessions.who(hers)).to.equal(undefined)
  })
})
