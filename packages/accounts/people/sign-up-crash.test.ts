import { expect } from 'chai'
import { openSqliteAccounts } from '#packages/adapters/sqlite/accounts.ts'
import type { Accounts } from '#packages/ports/accounts.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { accountHarness, address, password } from './accounts.harness.ts'

const ada = { email: 'ada@example.com', password, organization: 'Acme', address }

const writes = new Set<string | symbol>([
  ...['create', 'update', 'remove', 'putSession', 'putToken', 'takeToken', 'dropTokens', 'takePlace', 'append'],
])

const isAsync = new Set<string | symbol>([...writes, 'get', 'byEmail', 'token', 'read', 'seen', 'withPromise'])

/** Counts down to the write at which the process dies. After that it reads and writes nothing. */
class Crash {
  #left: number
  readonly #isStored: boolean
  hasHappened = false

  /** @param isStored whether the last write still reaches the disk */
  constructor(left: number, isStored: boolean) {
    this.#left = left
    this.#isStored = isStored
  }

  around<T extends object>(inner: T): T {
    return new Proxy(inner, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        if (!isAsync.has(name)) return value.bind(target)
        return async (...args: unknown[]) => {
          const isLast = writes.has(name) && --this.#left === 0
          if (this.hasHappened || (isLast && !this.#isStored)) return this.#die()
          const result = await value.apply(target, args)
          return isLast ? this.#die() : result
        }
      },
    })
  }

  #die(): never {
    this.hasHappened = true
    throw Object.assign(new Error('the process was killed'), { code: 'killed' })
  }
}

/** The stored organizations, by the properties that count. */
async function found(store: MemoryEventStore, accounts: Accounts) {
  const end = new AbortController()
  const registered: string[] = []
  let credits = 0
  for await (const { events, caughtUp } of store.follow({ after: 0, prefixes: [''], signal: end.signal })) {
    for (const event of events) {
      if (event.type === 'OrganizationRegistered') registered.push(event.metadata.orgId)
      if (event.type === 'CreditsGranted') credits += event.data.credits
    }
    if (caughtUp) end.abort()
  }
  const account = await accounts.byEmail(ada.email)
  return { registered, credits, account }
}

type Harness = ReturnType<typeof accountHarness>
type After = (restarted: Harness, another: Harness) => Promise<unknown>

const recoveries: Record<string, After> = {
  'the next start finishes': (restarted) => restarted.signUps.finishPromises(),
  'two processes finish at once': (restarted, another) =>
    Promise.all([restarted.signUps.finishPromises(), another.signUps.finishPromises()]),
  'the next sign-in finishes': (restarted) => restarted.signIns.signIn(ada).catch(() => {}),
}

describe('an interrupted sign-up', () => {
  for (const mails of [false, true])
    for (const isStored of [false, true])
      for (const [what, recover] of Object.entries(recoveries)) {
        const where = `${mails ? ' with a link' : ''}, ${isStored ? 'after' : 'before'} any of its writes`
        it(`is what ${what}${where}: one organization with 50 credits, or nothing`, async () => {
          let outcomes = ''
          for (let at = 1; ; at += 1) {
            const [memory, accounts] = [
              new MemoryEventStore({ clock: new ManualClock() }),
              openSqliteAccounts({ path: ':memory:' }),
            ]
            const crash = new Crash(at, isStored)
            const before = accountHarness({
              mails,
              accounts: crash.around<Accounts>(accounts),
              store: crash.around<EventStore>(memory),
            })
            // Killed processes wait for nothing.
            before.clock.sleep = async () => {
              await before.clock.jump(1000)
            }
            const token = await signUp(before).catch(() => undefined)
            const again = accountHarness({ mails, accounts, store: memory })
            const another = accountHarness({ mails, accounts, store: memory })
            for (const { clock } of [again, another]) await clock.jump(61_000)
            if (mails && token !== undefined) await again.signUps.verify(token).catch(() => {})
            await recover(again, another)
            const { registered, credits, account } = await found(memory, accounts)
            const isThere = account !== undefined && (!mails || account.verifiedAt !== null)
            expect({ at, registered: registered.length, credits }).to.deep.equal({
              at,
              registered: isThere ? 1 : 0,
              credits: isThere ? 50 : 0,
            })
            if (isThere) {
              expect(account.promised, `promise after a crash at ${at}`).to.equal(null)
              expect(account.memberships.map(({ orgId }) => orgId)).to.deep.equal(registered)
            }
            outcomes += isThere ? '1' : '0'
            if (!crash.hasHappened) break
          }
          // Crashes at the first writes leave nothing; at later ones an organization.
          expect(outcomes).to.match(/^0*1{4,}$/)
        })
      }
})

/** @returns the token of the link, if one was made, even if opening it failed */
async function signUp(harness: Harness): Promise<string | undefined> {
  const made = await harness.signUps.signUp(ada)
  if (made.type === 'signed-up') return undefined
  const token = await harness.mailedToken()
  await harness.signUps.verify(token).catch(() => {})
  return token
}
