import { createHash, randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { Organizations } from '#packages/accounts/organizations/organizations.ts'
import { createAccountParts } from '#packages/accounts/people/account-parts.ts'
import type { AccountOptions } from '#packages/accounts/people/account-ports.ts'
import { type Argon2, PasswordHasher } from '#packages/accounts/people/password-hasher.ts'
import { memoryRateCounters as counters } from '#packages/adapters/memory/rate-counters.ts'
import { openSqliteAccounts } from '#packages/adapters/sqlite/accounts.ts'
import { systemClock } from '#packages/adapters/system/clock.ts'
import { Sealer } from '#packages/foundation/secrets/sealer.ts'
import type { Mail } from '#packages/ports/mailer.ts'
import type { IngressOptions } from '#services/ingress/options.ts'
import { type Setting, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { current, openedForAll, openedForEach } from '#test/doubles/opened.ts'
import { anonymousAccess } from './anonymous-access.ts'
import { noThumbnails, pageOptions } from './dashboard.harness.ts'
import { createDashboard, type Dashboard } from './dashboard.tsx'
import type { PageOptions } from './options.ts'
import type { DashboardParts, DashboardResources } from './parts.ts'
import { routesOf } from './routes.ts'
import { PASSWORD, TestVisitor } from './test-visitor.harness.ts'

const { root } = pageOptions

export type ServedSetting = Partial<Omit<Setting, 'pages' | 'options'>> & {
  options?: Partial<PageOptions>
  account?: Partial<AccountOptions>
  limits?: Partial<IngressOptions>
  thumbnails?: DashboardParts['thumbnails']
}

/** A double of argon2id, which takes 40 ms. Counts the calls, and the most that ran at once. */
function quickArgon2() {
  const counted = { calls: 0, atWork: 0, most: 0 }
  const work: Argon2 = async (password, { salt }) => {
    counted.calls += 1
    counted.atWork += 1
    counted.most = Math.max(counted.most, counted.atWork)
    await setImmediate()
    counted.atWork -= 1
    return createHash('sha256').update(salt).update(password).digest()
  }
  return { work, counted }
}

/**
 * The whole dashboard over HTTP, with everything in memory. With `options.sendsMail`, mails are collected in `mails`.
 *
 *   await using dashboard = await serveDashboard()
 *   const ada = await dashboard.signedUp('ada@example.com')
 *   const { text } = await ada.get(`/org/${ada.orgId}/members`)
 */
export async function serveDashboard({
  options,
  account,
  limits,
  thumbnails = noThumbnails,
  ...setting
}: ServedSetting = {}) {
  const hashing = quickArgon2()
  const accounts = openSqliteAccounts({ path: ':memory:' })
  const mails: Mail[] = []
  const mailer = { send: async (mail: Mail) => void mails.push(mail), [Symbol.asyncDispose]: async () => {} }
  const given: PageOptions = { ...pageOptions, ...options }
  let base = ''
  let made: { resources: DashboardResources; dashboard: Promise<Dashboard> } | undefined
  const ingress = await startIngress({
    clock: systemClock,
    options: { extracts: given.extracts, ...limits },
    ...setting,
    pages({ lookups, readiness, ...shared }, ingressPorts) {
      const sealer = new Sealer(randomBytes(32))
      const ports = { ...ingressPorts, accounts, counters, sealer, ...(given.sendsMail && { mailer }) }
      const rules = { signUp: given.signup, signUpsPerDay: 50, dashboardUrl: () => base + root, ...account }
      const organizations = new Organizations(ports)
      const people = createAccountParts(ports, rules, new PasswordHasher(hashing.work))
      const resources = {
        ...shared,
        ports,
        people,
        customers: { ...shared.accounts, organizations },
        jobs: { ...shared.jobs, attempts: ports.attempts },
        readers: { ...shared.readers, lookups, thumbnails },
        health: { readiness, platforms: ports.platforms },
      }
      const dashboard = createDashboard(root, resources, given)
      made = { resources, dashboard }
      return {
        ...anonymousAccess(root, people.sessions),
        answer: (...request) => void dashboard.then((served) => served.answer(...request)),
      }
    },
  })
  base = ingress.base
  if (made === undefined) throw new Error('the ingress asked for no pages')
  await made.dashboard
  const { ports, people, customers, jobs } = made.resources
  const visitor = (): TestVisitor => new TestVisitor(base, root)

  return {
    ingress,
    accounts,
    parts: { ...ports, ...people, ...customers, ...jobs },
    routes: routesOf(made.resources, given),
    options: given,
    mails,
    /** The counts of the double of argon2id. */
    hashes: hashing.counted,
    visitor,
    /** A visitor who has signed up with the form, and so has an organization. */
    async signedUp(email: string, organization?: string) {
      const person = visitor()
      return Object.assign(person, { email, ...(await person.signUp(email, organization)) })
    },
    /** The same where the service sends mail: the visitor has also confirmed the address, and signed in. */
    async signedUpByMail(email: string) {
      const person = visitor()
      await person.post('/sign-up', { organization: 'Acme', email, password: PASSWORD })
      const token = new URL(this.mailedPath(), base).searchParams.get('token') ?? ''
      await person.post('/verify', { token })
      await person.post('/sign-in', { email, password: PASSWORD })
      const { to = '' } = await person.get('/')
      return Object.assign(person, { orgId: to.split('/').at(-1) ?? '' })
    },
    /** The path of the link in the last mail, with its token. */
    mailedPath(): string {
      const [, path = ''] = /\/dashboard(\/\S+)/.exec(mails.at(-1)?.text ?? '') ?? []
      return path
    },
    [Symbol.asyncDispose]: () => ingress[Symbol.asyncDispose](),
  }
}

export type ServedDashboard = Awaited<ReturnType<typeof serveDashboard>>

/** A dashboard for all tests of the suite that calls this, or one for each, with ada, who has signed up. */
export const servedForAll = (...given: WithAda) => withAda(openedForAll, before, ...given)
export const servedForEach = (...given: WithAda) => withAda(openedForEach, beforeEach, ...given)

type WithAda = [setting?: ServedSetting, organization?: string]

function withAda(opened: typeof openedForAll, begin: Mocha.HookFunction, ...[setting, organization]: WithAda) {
  const dashboard = opened(() => serveDashboard(setting))
  let member: Awaited<ReturnType<ServedDashboard['signedUp']>>
  begin(async () => {
    member = await dashboard.signedUp('ada@example.com', organization)
  })
  return { dashboard, ada: current(() => member) }
}
