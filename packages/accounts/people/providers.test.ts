import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { startOpenIdProvider } from '#test/doubles/oidc/provider.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { accountHarness, address, memberOf, password, type Setting, tokenIn, url } from './accounts.harness.ts'

const email = 'ada@example.com'

describe('signing in with the OpenID provider', () => {
  const provider = openedForAll(startOpenIdProvider)
  beforeEach(() => {
    provider.state.user = { sub: 'u1', email, email_verified: true }
    provider.state.claims = {}
    provider.state.isAway = false
  })

  const withProvider = (setting: Setting = {}) => accountHarness({ provider: provider.options, ...setting })

  /** Signs in as a browser does: the redirect there, and the way back. */
  async function signIn({ providers }: ReturnType<typeof withProvider>, asked = {}) {
    const begun = await providers.begin({ address, ...asked })
    return providers.finish(await provider.visit(begun.url), begun.state)
  }

  /** The token of an invitation to the organization `a`. */
  async function invitedBy({ accounts, members }: ReturnType<typeof withProvider>): Promise<string> {
    const owner = memberOf('a', 'owner')
    await accounts.create(owner)
    return tokenIn((await members.invite(owner, 'a', { role: 'member' })) ?? '')
  }

  it('creates a passwordless account, its organization and a key, and finds it again by its identity', async () => {
    const harness = withProvider()
    expect(harness.providers.name).to.equal('Our provider')
    const made = await signIn(harness, { organization: 'Acme' })
    expect(made.account).to.deep.include({ email, passwordHash: null, verifiedAt: harness.clock.now(), promised: null })
    expect((await harness.ports.ledgers.current(made.key?.orgId ?? '')).balance).to.equal(50)
    expect((await harness.sessions.who(made.session))?.account.id).to.equal(made.account.id)
    provider.state.user = { sub: 'u1', email: 'ada@elsewhere.example', email_verified: true }
    const again = await signIn(harness)
    expect(again).to.include({ key: undefined })
    expect(again.account.id).to.equal(made.account.id)
  })

  it('sends the browser there with PKCE, state and nonce, and back to the dashboard', async () => {
    const { url: there } = await withProvider().providers.begin({ address })
    const asked = Object.fromEntries(there.searchParams)
    expect(asked).to.include({ redirect_uri: `${url}/sign-in/provider`, code_challenge_method: 'S256' })
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name], name).to.have.length(43)
  })

  it('links an account with a confirmed address, which keeps its password', async () => {
    const harness = withProvider({ mails: true })
    const { id } = await harness.person('ADA@example.com')
    expect((await signIn(harness)).account.id).to.equal(id)
    expect((await harness.signIn({ email, password, address })).account.identity).to.contain(provider.issuer)
  })

  it('links no account with an unconfirmed address: another person may have signed up with it', async () => {
    const harness = withProvider()
    await harness.person(email)
    expect(await failureOf(signIn(harness))).to.include({ code: 'forbidden' })
    expect((await harness.accounts.byEmail(email))?.identity).to.equal(null)
  })

  it('links no account that has another identity there', async () => {
    const harness = withProvider()
    await signIn(harness)
    provider.state.user = { sub: 'u2', email, email_verified: true }
    expect(await failureOf(signIn(harness))).to.include({ code: 'forbidden' })
  })

  it('takes no address that the provider has not verified', async () => {
    const harness = withProvider()
    for (const verified of [{ email_verified: false }, {}]) {
      provider.state.user = { sub: 'u1', email, ...verified }
      expect(await failureOf(signIn(harness))).to.include({ code: 'forbidden' })
    }
    expect(await harness.accounts.byEmail(email)).to.equal(undefined)
  })

  it('signs up under the rules of SIGNUP', async () => {
    const closed = withProvider({ signUp: 'closed' })
    expect(await failureOf(signIn(closed))).to.include({ code: 'forbidden' })
    const harness = withProvider({ signUp: 'invited', signUpsPerDay: 0 })
    expect(await failureOf(signIn(harness))).to.include({ code: 'forbidden' })
    const forEve = tokenIn(await harness.signUps.invite('eve@example.com'))
    expect(await failureOf(signIn(harness, { invitation: forEve }))).to.include({ code: 'invalid_request' })
    const invitation = tokenIn(await harness.signUps.invite(email))
    expect((await signIn(harness, { invitation })).key).to.not.equal(undefined)
    const open = withProvider({ signUpsPerDay: 0 })
    expect(await failureOf(signIn(open))).to.include({ code: 'unavailable' })
  })

  it('adds a member through an invitation to an organization, and creates nothing else', async () => {
    const harness = withProvider({ signUp: 'closed' })
    const invitation = await invitedBy(harness)
    const made = await signIn(harness, { invitation })
    expect(made.account.memberships.map(({ orgId, role }) => [orgId, role])).to.deep.equal([['a', 'member']])
    expect(made).to.include({ key: undefined })
  })

  it('joins the organization of an invitation with an existing account', async () => {
    const harness = withProvider()
    await signIn(harness)
    const invitation = await invitedBy(harness)
    const { account } = await signIn(harness, { invitation })
    expect(account.memberships.map(({ role }) => role)).to.deep.equal(['owner', 'member'])
  })

  it('is over after one way back, after ten minutes, and in another browser', async () => {
    const harness = withProvider()
    const [one, other] = [await harness.providers.begin({ address }), await harness.providers.begin({ address })]
    const query = await provider.visit(one.url)
    expect(await failureOf(harness.providers.finish(query, other.state))).to.include({ code: 'unavailable' })
    await harness.providers.finish(query, one.state)
    expect(await failureOf(harness.providers.finish(query, one.state))).to.include({ code: 'not_found' })
    const late = await harness.providers.begin({ address })
    const lateQuery = await provider.visit(late.url)
    await harness.clock.advance(10 * 60_000)
    expect(await failureOf(harness.providers.finish(lateQuery, late.state))).to.include({ code: 'not_found' })
  })

  it('rejects id tokens of another service, provider or sign-in, and expired ones', async () => {
    const harness = withProvider()
    const past = { exp: Math.floor(Date.now() / 1000) - 600 }
    for (const claims of [{ aud: 'another' }, { iss: 'https://id.example.com' }, { nonce: 'another' }, past]) {
      provider.state.claims = claims
      expect(await failureOf(signIn(harness)), JSON.stringify(claims)).to.include({ code: 'unavailable' })
    }
    expect(await harness.accounts.byEmail(email)).to.equal(undefined)
  })

  it('may begin 20 times a minute from one address, because each is stored until it is over', async () => {
    const harness = withProvider()
    for (let n = 0; n < 20; n++) await harness.providers.begin({ address })
    expect(await failureOf(harness.providers.begin({ address }))).to.include({ code: 'rate_limited' })
  })

  it('reports that the provider does not answer, and asks it again the next time', async () => {
    const harness = withProvider()
    provider.state.isAway = true
    expect(await failureOf(harness.providers.begin({ address }))).to.include({ code: 'unavailable' })
    provider.state.isAway = false
    expect(await signIn(harness)).to.have.property('session')
  })

  it('does not exist without a provider', async () => {
    const harness = accountHarness()
    expect(harness.providers.name).to.equal(undefined)
    expect(await failureOf(harness.providers.begin({ address }))).to.include({ code: 'not_found' })
  })
})
