import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { memoryRateCounters } from '#packages/adapters/memory/rate-counters.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { openSqliteAccounts } from '#packages/adapters/sqlite/accounts.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { Sealer } from '#packages/foundation/secrets/sealer.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import type { Account, Accounts } from '#packages/ports/accounts.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { sha256 } from '#packages/ports/ids.ts'
import type { Mail, Mailer } from '#packages/ports/mailer.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { current } from '#test/doubles/opened.ts'
import { createAccountParts } from './account-parts.ts'
import type { AccountOptions, AccountPorts } from './account-ports.ts'
import { type Argon2, PasswordHasher } from './password-hasher.ts'
import type { SignedIn } from './sessions.ts'
import type { SignIn } from './sign-ins.ts'

export const url = 'https://api.example.com/dashboard'
export const password = 'seven wet otters juggle'
export const address = '203.0.113.7'

/** Keeps the mails that it receives. */
class RecordingMailer implements Mailer {
  readonly mails: Mail[] = []
  /** Thrown instead of sending. */
  failure: Error | undefined

  async send(mail: Mail): Promise<void> {
    if (this.failure !== undefined) throw this.failure
    this.mails.push(mail)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Records the calls of an object, by the names of its methods. */
export function noted<T extends object>(inner: T, calls: string[]): T {
  return new Proxy(inner, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        calls.push(String(name))
        return value.apply(target, args)
      }
    },
  })
}

export type Setting = Partial<AccountOptions> & {
  /** Whether mails can be sent. */
  mails?: boolean
  accounts?: Accounts
  store?: EventStore
  ports?: Partial<AccountPorts>
}

/** The account parts with everything in memory. A simple hash replaces argon2; its calls are recorded as `argon2`. */
export function accountHarness({ mails = false, accounts, store, ports: given, ...options }: Setting = {}) {
  const clock = new ManualClock()
  const calls: string[] = []
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const memory = new MemoryEventStore({ clock })
  const held = accounts ?? openSqliteAccounts({ path: ':memory:' })
  const mailer = new RecordingMailer()
  const events = store ?? memory
  const ports: AccountPorts = {
    accounts: noted(held, calls),
    store: events,
    views: new MemoryViews({ clock, definition }),
    ledgers: new Ledgers({ store: events, clock, ids }),
    counters: memoryRateCounters,
    attempts: new AttemptsUnderWay(),
    sealer: new Sealer(randomBytes(32)),
    clock,
    ids,
    log,
    ...(mails && { mailer }),
    ...given,
  }
  const cheap: Argon2 = async (text, { salt }) => {
    calls.push('argon2')
    return Buffer.from(sha256(`${text} ${salt.toString('hex')}`), 'hex')
  }
  const all: AccountOptions = { signUp: 'open', signUpsPerDay: 50, dashboardUrl: () => url, ...options }
  const parts = createAccountParts(ports, all, new PasswordHasher(cheap))
  const mailed = async (): Promise<Mail[]> => {
    await parts.run(AbortSignal.abort())
    return mailer.mails
  }
  const mailedToken = async (): Promise<string> => tokenIn((await mailed()).at(-1)?.text ?? '')
  const signIn = async (by: SignIn): Promise<{ account: Account; session: string }> => {
    const answer = await parts.signIns.signIn(by)
    if (answer.type === 'code-asked') throw new Error('this sign-in needs a code')
    return answer
  }
  const whoIs = async (session: string): Promise<SignedIn> => {
    const who = await parts.sessions.who(session)
    if (who === undefined) throw new Error('not signed in')
    return who
  }
  return {
    ...parts,
    ports,
    clock,
    memory,
    accounts: held,
    mailer,
    calls,
    lines,
    /** Waits for the mails under way, and returns all, or the token of the newest one. */
    mailed,
    mailedToken,
    /** Signs in a person who needs no code. */
    signIn,
    /** The person with this session. */
    whoIs,
    /** Signs up a person, who opens the mailed link if there is one. */
    async person(email: string, organization = 'Acme') {
      const by = { email, password, address: `of ${email}` }
      const made = await parts.signUps.signUp({ ...by, organization })
      const { key } = made.type === 'confirm' ? await parts.signUps.verify(await mailedToken()) : made
      const { session } = made.type === 'confirm' ? await signIn(by) : made
      const who = await whoIs(session)
      return { ...who.account, who, session, key: key?.key ?? '', orgId: key?.orgId ?? '' }
    },
  }
}

/** The account parts of the current test of the suite. */
export function eachHarness(setting: () => Setting = () => ({})) {
  let harness: ReturnType<typeof accountHarness>
  beforeEach(() => {
    harness = accountHarness(setting())
  })
  return current(() => harness)
}

/** The token in a link. */
export const tokenIn = (text: string): string => /\?token=([\w-]{43})/.exec(text)?.[1] ?? 'no token'

/** An account as adapters store it. */
export const accountOf = (fields: Partial<Account> & { id: string }): Account => ({
  email: `${fields.id}@example.com`,
  passwordHash: null,
  identity: null,
  verifiedAt: null,
  isOperator: false,
  memberships: [],
  promised: null,
  createdAt: 0,
  ...fields,
})

/** The account of a member. */
export const memberOf = (
  orgId: string,
  id: string,
  role: 'owner' | 'member' = 'owner',
  fields: Partial<Account> = {},
): Account => accountOf({ id, memberships: [{ orgId, role, since: 0 }], ...fields })
