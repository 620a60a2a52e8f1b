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
import { createAccountParts } from './account-parts.ts'
import type { AccountOptions, AccountPorts } from './account-ports.ts'
import { type Argon2, PasswordHasher } from './password-hasher.ts'
import type { SignedIn } from './sessions.ts'
import type { SignIn } from './sign-ins.ts'

export const url = 'https://api.example.com/dashboard'
export const password = 'seven wet otters juggle'
export const address = '203.0.113.7'

/** Keeps the mails that it receives. */
export class RecordingMailer implements Mailer {
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
  return {
    ...parts,
    ports,
    clock,
    memory,
    accounts: held,
    mailer,
    calls,
    lines,
    /** Waits for the mails under way, and returns the token of the newest one. */
    async mailedToken(): Promise<string> {
      const stop = AbortSignal.abort()
      await parts.run(stop)
      return tokenIn(mailer.mails.at(-1)?.text ?? '')
    },
    async mailed(): Promise<Mail[]> {
      await parts.run(AbortSignal.abort())
      return mailer.mails
    },
    /** Signs in a person who needs no code. */
    async signIn(by: SignIn): Promise<{ account: Account; session: string }> {
      const answer = await parts.signIns.signIn(by)
      if (answer.type === 'code-asked') throw new Error('this sign-in needs a code')
      return answer
    },
    /** The person with this session. */
    async whoIs(session: string): Promise<SignedIn> {
      const who = await parts.sessions.who(session)
      if (who === undefined) throw new Error('not signed in')
      return who
    },
    /** Signs up a person who needs no confirmation. */
    async person(email: string, organization = 'Acme'): Promise<Account & { session: string; orgId: string }> {
      const made = await parts.signUps.signUp({ email, password, organization, address: `of ${email}` })
      if (made.type !== 'signed-up') throw new Error('this address has to be confirmed')
      return { ...made.account, session: made.session, orgId: made.account.memberships[0]?.orgId ?? '' }
    },
  }
}

/** The token in a link. */
export const tokenIn = (text: string): string => /\?token=([\w-]{43})/.exec(text)?.[1] ?? 'no token'

/** An account as adapters store it. */
export const accountOf = (fields: Partial<Account> & { id: string; email: string }): Account => ({
  passwordHash: null,
  identity: null,
  verifiedAt: null,
  isOperator: false,
  memberships: [],
  promised: null,
  createdAt: 0,
  ...fields,
})
