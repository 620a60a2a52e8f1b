import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { fullGrant } from '#packages/domain/key/grant.ts'
import { operator } from '#packages/domain/key/key.ts'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import type { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { Sealer } from '#packages/foundation/secrets/sealer.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { loseViews, startSection } from '../../dashboard.harness.ts'
import { editKeyRoutes } from './edit-key.tsx'
import { keysRoutes } from './keys.tsx'
import { revokeKeyRoutes } from './revoke-key.tsx'

const all = ['read', 'jobs', 'keys', 'webhooks']
const sealer = new Sealer(randomBytes(32))

async function keys() {
  const section = await startSection('keys', {
    pages: (parts, options) => [
      ...keysRoutes({ ...parts, sealer }, options),
      ...editKeyRoutes(parts, options),
      ...revokeKeyRoutes(parts, options),
    ],
  })
  const make = (form: Record<string, string | string[]>) =>
    section.ask(section.list, { scopes: all, monthlyCredits: '', expiresAt: '', ...form })
  return { ...section, make }
}

const secretIn = (text: string): string => /ma_\w{38}/.exec(text)?.[0] ?? ''

describe('the page of keys', () => {
  it('shows each key’s first and last characters, its scopes, and how much of its cap is used', async () => {
    await using page = await keys()
    const made = await page.make({ name: 'Import', scopes: ['read', 'jobs'], monthlyCredits: '20' })
    const secret = secretIn(made.text)
    const video = { url: 'https://www.youtube.com/watch?v=jNQXAC9IVRw', mode: 'generate' }
    await page.ingress.call('POST', '/v1/transcript', { key: secret, json: video })
    const { text, html } = await page.ask()
    expect(text).to.include(`Import ${secret.slice(0, 7)}…${secret.slice(-4)} Read, Run jobs 5 of 20 Never`)
    expect(text).to.include('first key').and.to.include('Everything 0, no cap')
    expect(html).to.not.include(secret)
  })

  it('creates a key that works, and shows it only on the next page', async () => {
    await using page = await keys()
    const { answer, text } = await page.make({ name: ' Nightly ', expiresAt: '2099-01-31' })
    expect(answer).to.include({ type: 'page', title: 'Your new key' })
    const key = secretIn(text)
    expect(text).to.include('Your new key: Nightly').and.to.include(`-H 'x-api-key: ${key}'`)
    expect((await page.ingress.call('GET', '/v1/me', { key })).status).to.equal(200)
    expect((await page.ask()).text).to.include('31 Jan 2099')
    const listed = await page.ingress.shared.ownKeys.all(page.orgId)
    expect(listed.find(({ name }) => name === 'first key')?.grant).to.deep.equal({
      scopes: null,
      monthlyCredits: null,
      expiresAt: null,
    })
  })

  it('creates one key from a form that is sent twice, at once or later, and another from the next form', async () => {
    await using page = await keys()
    const onceOf = async (): Promise<string> => /name="once" value="([^"]+)"/.exec((await page.ask()).html)?.[1] ?? ''
    const once = await onceOf()
    const sent = await Promise.all([page.make({ name: 'a', once }), page.make({ name: 'a', once })])
    const [one, other] = [...sent, await page.make({ name: 'a', once })].map(({ text }) => secretIn(text))
    expect(one).to.have.length(41).and.equal(other)
    const others = [await page.make({ name: 'b', once }), await page.make({ name: 'a', once: await onceOf() })]
    expect(new Set([one, ...others.map(({ text }) => secretIn(text))])).to.have.length(3)
    const listed = await page.ingress.shared.ownKeys.all(page.orgId)
    expect(listed.map(({ name }) => name)).to.have.members(['first key', 'a', 'b', 'a'])
  })

  it('shows each problem beside its field, and keeps what was typed', async () => {
    await using page = await keys()
    for (const [form, words] of [
      [{ name: ' ' }, 'Name is required'],
      [{ name: 'Once', scopes: [] }, 'Permissions must be at least one'],
      [{ name: 'Once', monthlyCredits: 'lots' }, 'Credits per month must be integer'],
      [{ name: 'Once', monthlyCredits: '-1' }, 'Credits per month must be >= 0'],
      [{ name: 'Once', expiresAt: '2020-01-01' }, 'Expires on must be in the future'],
      [{ name: 'Once', expiresAt: 'soon' }, 'Expires on must be an ISO 8601 timestamp'],
    ] as const) {
      const { answer, text, html } = await page.make(form as Record<string, string>)
      expect(answer).to.include({ status: 400 })
      expect(text).to.include(words)
      expect(html).to.include(`value="${form.name}"`)
    }
    expect(await page.ingress.shared.ownKeys.all(page.orgId)).to.have.length(1)
  })

  it('revokes a key with one button, on a page that names the key', async () => {
    await using page = await keys()
    const path = `${page.list}/${page.org.keyId}`
    expect((await page.ask(path)).text)
      .to.include('Revoke “first key”')
      .and.to.include(page.org.key.slice(-4))
    expect((await page.org.get('/v1/me')).status).to.equal(200)
    const { answer } = await page.ask(path, {})
    expect(answer).to.deep.equal({ type: 'redirect', to: page.list, notice: 'key-revoked' })
    expect((await page.org.get('/v1/me')).status).to.equal(401)
    expect((await page.ask()).text).to.match(/first key Revoked ma_\w+…\w+ Everything 0 Revoked \d/)
    expect((await page.org.get('/v1/me')).status).to.equal(401)
    expect((await failureOf<ServiceError>(page.ask(path))).code).to.equal('not_found')
  })

  it('changes the name, cap and expiry of a key, for the API too at once', async () => {
    await using page = await keys()
    const { key } = page.org
    expect((await page.org.get('/v1/me')).status).to.equal(200)
    const path = `${page.list}/${page.org.keyId}/edit`
    expect((await page.ask(path)).html).to.include('value="first key"')
    const { answer } = await page.ask(path, { name: ' Import ', monthlyCredits: '3', expiresAt: '2099-01-31' })
    expect(answer).to.deep.equal({ type: 'redirect', to: page.list, notice: 'key-changed' })
    expect((await page.ask()).text).to.match(/Import ma_.* Everything 0 of 3 31 Jan 2099/)
    const video = { url: 'https://www.youtube.com/watch?v=jNQXAC9IVRw', mode: 'generate' }
    expect((await page.ingress.call('POST', '/v1/transcript', { key, json: video })).status, 'the new cap').to.equal(
      403,
    )
    const [listed] = await page.ingress.shared.ownKeys.list(page.orgId)
    expect(listed).to.include({ name: 'Import', monthlyCredits: 3, expiresAt: '2099-01-31T23:59:59.000Z' })
    await page.ask(path, { name: 'Import', monthlyCredits: '', expiresAt: '' })
    expect((await page.ask()).text).to.match(/Import ma_.* Everything 0, no cap Never/)
  })

  it('keeps the exact expiry if its day is unchanged, and explains what is wrong with a change', async () => {
    await using page = await keys()
    const path = `${page.list}/${page.org.keyId}/edit`
    const expiresAt = page.clock.now() + 1000
    const change = { name: 'first key', monthlyCredits: null, expiresAt }
    await page.ingress.shared.ownKeys.change(page.org.keyId, change, metadataOf(page.orgId))
    page.clock.move(2000)
    const day = new Date(expiresAt).toISOString().slice(0, 10)
    await page.ask(path, { name: 'renamed', monthlyCredits: '', expiresAt: day })
    const [listed] = await page.ingress.shared.ownKeys.all(page.orgId)
    expect(listed).to.deep.include({ name: 'renamed', grant: { ...fullGrant, expiresAt } })
    const wrong = await page.ask(path, { name: 'renamed', monthlyCredits: '-1', expiresAt: '' })
    expect(wrong.answer).to.include({ status: 400 })
    expect(wrong.html).to.include('value="-1"')
    const other = await page.ingress.org()
    const foreign = page.ask(`${page.list}/${other.keyId}/edit`, { name: 'mine', monthlyCredits: '', expiresAt: '' })
    expect((await failureOf<ServiceError>(foreign)).code).to.equal('not_found')
  })

  it('selects only the scopes to read and to run jobs for a new key', async () => {
    await using page = await keys()
    const { html } = await page.ask()
    const ticked = [...html.matchAll(/name="scopes" value="(\w+)" checked/g)].map(([, scope]) => scope)
    expect(ticked).to.deep.equal(['read', 'jobs'])
  })

  it('shows no key of another organization', async () => {
    await using page = await keys()
    const other = await page.ingress.org()
    const path = `${page.list}/${other.keyId}`
    for (const form of [undefined, { name: 'first key' }]) {
      const error = await failureOf<ServiceError>(page.ask(path, form))
      expect(error.message).to.equal((await failureOf(page.ask(`${page.list}/none`, form))).message)
    }
    expect((await other.get('/v1/me')).status).to.equal(200)
  })

  it('can revoke while the views are unavailable, and reports that the list is unavailable', async () => {
    await using page = await keys()
    loseViews(page.ingress)
    Object.assign(page.ingress.views, { waitForApplied: async () => false })
    expect((await page.ask()).text).to.include('Your keys cannot be shown right now')
    const { answer } = await page.ask(`${page.list}/${page.org.keyId}`, {})
    expect(answer).to.include({ type: 'redirect' })
    const error = await failureOf<ServiceError>(page.ingress.shared.ownKeys.get(page.orgId, page.org.keyId))
    expect(error.code).to.equal('not_found')
  })

  it('leaves no person’s identity in the events', async () => {
    await using page = await keys()
    await page.make({ name: 'Import' })
    const made = (await page.ingress.shared.ownKeys.all(page.orgId)).at(-1)
    const [event] = await page.ingress.memory.read(`key-${made?.id}`)
    expect(event?.data).to.include({ createdBy: operator.keyId })
    expect(JSON.stringify(event)).to.not.match(/@|account/)
  })
})
