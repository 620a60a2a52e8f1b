import { createHmac, generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { accountHarness, accountOf, address, password, tokenIn } from '#packages/accounts/people/accounts.harness.ts'
import type { Account, Role } from '#packages/ports/accounts.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { type Forge, signedBy, startOpenIdProvider } from '#test/doubles/oidc/provider.ts'
import { openedForAll } from '#test/doubles/opened.ts'

const orgId = 'acme'
const of = (role: Role) => [{ orgId, role, since: 0 }]
const ada = accountOf({ id: 'ada', email: 'ada@example.com', memberships: of('owner') })
const bob = accountOf({ id: 'bob', email: 'bob@example.com', memberships: of('owner') })
/** A second account of Bob's. */
const bert = accountOf({ id: 'bert', email: 'bert@example.com' })

describe('a former owner of an organization', () => {
  type Harness = ReturnType<typeof accountHarness>
  async function acme(setting: Parameters<typeof accountHarness>[0] = {}) {
    const harness = accountHarness(setting)
    for (const account of [ada, bob, bert]) await harness.accounts.create(account)
    const invite = async (role: Role = 'owner') => tokenIn((await harness.members.invite(bob, orgId, { role })) ?? '')
    return { ...harness, invite }
  }
  const memberIds = async ({ members }: Pick<Harness, 'members'>): Promise<string[]> =>
    (await members.of(orgId)).map(({ accountId }) => accountId)

  const endings: Record<string, (harness: Harness) => Promise<unknown>> = {
    'was removed': ({ members }) => members.remove(ada, orgId, 'bob'),
    'is no owner any more': ({ members }) => members.changeRole(ada, orgId, 'bob', 'member'),
    'has left': ({ members }) => members.remove(bob, orgId, 'bob'),
    'deleted the account': ({ removal }) => removal.remove('bob'),
  }
  for (const [how, end] of Object.entries(endings))
    it(`does not return by an invitation of their own: who ${how}`, async () => {
      const harness = await acme()
      const token = await harness.invite()
      await end(harness)
      expect(await failureOf(harness.members.look(token))).to.include({ code: 'not_found' })
      expect(await failureOf(harness.members.accept(token, bert))).to.include({ code: 'not_found' })
      expect(await memberIds(harness)).to.not.include('bert')
      expect(await harness.members.invitations(ada, orgId)).to.deep.equal([])
    })

  it('does not return by a sign-up that used the invitation earlier and is confirmed later', async () => {
    const harness = await acme({ mails: true })
    const token = await harness.invite()
    const form = { email: 'new@example.com', password, organization: '', address, invitation: token }
    await harness.signUps.signUp(form)
    const confirm = await harness.mailedToken()
    await harness.members.remove(ada, orgId, 'bob')
    const { account } = await harness.signUps.verify(confirm)
    expect(account.memberships).to.deep.equal([])
  })

  it('does not return by an older invitation once they are an owner again', async () => {
    const harness = await acme()
    const token = await harness.invite()
    await harness.members.changeRole(ada, orgId, 'bob', 'member')
    await harness.members.changeRole(ada, orgId, 'bob', 'owner')
    expect(await failureOf(harness.members.accept(token, bert))).to.include({ code: 'not_found' })
  })

  it('does not return by one that is accepted, or made, at the moment of the removal', async () => {
    const harness = await acme()
    const token = await harness.invite()
    const { takeToken } = harness.accounts
    // The removal comes between the check of the invitation and the change of the membership.
    harness.accounts.takeToken = async (...given) => {
      harness.accounts.takeToken = takeToken
      const taken = await takeToken.apply(harness.accounts, given)
      await harness.members.remove(ada, orgId, 'bob')
      return taken
    }
    expect(await failureOf(harness.members.accept(token, bert))).to.include({ code: 'not_found' })
    // When Bob's request arrived, he was still an owner.
    const late = await harness.invite()
    expect(await failureOf(harness.members.accept(late, bert))).to.include({ code: 'not_found' })
    expect(await memberIds(harness)).to.deep.equal(['ada'])
  })
})

describe('an identity of the provider', () => {
  const provider = openedForAll(() => startOpenIdProvider())

  async function signIn(email: string, { forge, known = [] }: { forge?: Forge; known?: Account[] } = {}) {
    provider.state.user = { sub: 'eve', email, email_verified: true }
    provider.state.forge = forge
    const harness = accountHarness({ provider: provider.options })
    for (const account of known) await harness.accounts.create(account)
    const { url, state } = await harness.providers.begin({ address })
    return { harness, finished: harness.providers.finish(await provider.visit(url), state) }
  }

  const text = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forgeries: Record<string, Forge> = {
    'of another key': (claims) => signedBy(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, claims),
    'with changed claims': (claims, { rightful }) => {
      const [head, , signature] = rightful(claims).split('.')
      return `${head}.${text({ ...claims, sub: 'ada' })}.${signature}`
    },
    'without a signature': (claims, { rightful }) => `${rightful(claims).split('.').slice(0, 2).join('.')}.`,
    'of no algorithm': (claims) => `${text({ alg: 'none' })}.${text(claims)}.`,
    'with the public key as a shared secret': (claims, { publicKey }) => {
      const signed = `${text({ alg: 'HS256', kid: 'k1' })}.${text(claims)}`
      const secret = publicKey.export({ format: 'pem', type: 'spki' })
      return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
    },
    'with a key of its own in its head': (claims) => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const [, body, signature] = signedBy(privateKey, claims).split('.')
      return `${text({ alg: 'RS256', jwk: publicKey.export({ format: 'jwk' }) })}.${body}.${signature}`
    },
  }
  for (const [what, forge] of Object.entries(forgeries))
    it(`is not trusted from an id token ${what}`, async () => {
      const { harness, finished } = await signIn('ada@example.com', { forge })
      expect(await failureOf(finished)).to.include({ code: 'unavailable' })
      expect(await harness.accounts.byEmail('ada@example.com')).to.equal(undefined)
    })

  const spellings: [owner: string, alike: string][] = [
    ['kate@example.com', '\u212aate@example.com'],
    ['kate@kiwi.example', 'kate@\u212aiwi.example'],
    ['zoë@example.com', 'ZOË@example.com'],
    ['zoë@example.com', 'zoe\u0308@example.com'],
    ['åsa@example.com', '\u212bsa@example.com'],
  ]
  for (const [owner, alike] of spellings)
    it(`is not ${owner} because it is ${JSON.stringify(alike)}`, async () => {
      const account = accountOf({ id: 'owner', email: owner, verifiedAt: 1 })
      const { harness, finished } = await signIn(alike, { known: [account] })
      expect(await failureOf(finished)).to.include({ code: 'forbidden' })
      expect(await harness.accounts.get('owner')).to.include({ identity: null })
    })

  it('gets no account under an address that belongs to another account, until its owner has one', async () => {
    const { harness, finished } = await signIn('\u212aate@example.com')
    expect(await failureOf(finished)).to.include({ code: 'forbidden' })
    expect(await harness.accounts.byEmail('kate@example.com')).to.equal(undefined)
  })

  it('is linked when the two differ only in the case of ASCII letters', async () => {
    const account = accountOf({ id: 'owner', email: 'kate@example.com', verifiedAt: 1 })
    const { finished } = await signIn('Kate@EXAMPLE.com', { known: [account] })
    expect((await finished).account.id).to.equal('owner')
  })
})
