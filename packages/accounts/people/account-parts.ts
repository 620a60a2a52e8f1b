import { Organizations } from '#packages/accounts/organizations/organizations.ts'
import type { AccountOptions, AccountPorts } from './account-ports.ts'
import { EmailChanges } from './email-changes.ts'
import { Mails } from './mails.ts'
import { Members } from './members.ts'
import { Operators } from './operators.ts'
import { PasswordCheck } from './password-check.ts'
import { PasswordHasher } from './password-hasher.ts'
import { Passwords } from './passwords.ts'
import { PlanRequests } from './plan-requests.ts'
import { PromisedOrganizations } from './promised-organizations.ts'
import { Providers } from './providers.ts'
import { Removal } from './removal.ts'
import { SecondFactors } from './second-factors.ts'
import { Sessions } from './sessions.ts'
import { SignIns } from './sign-ins.ts'
import { SignUpRules } from './sign-up-rules.ts'
import { SignUps } from './sign-ups.ts'

const FINISH_EVERY_MS = 60_000

/** The dashboard's actions on accounts. */
export type AccountParts = {
  signUps: SignUps
  signIns: SignIns
  sessions: Sessions
  passwords: Passwords
  emailChanges: EmailChanges
  secondFactors: SecondFactors
  members: Members
  providers: Providers
  removal: Removal
  operators: Operators
  planRequests: PlanRequests
  /** Finishes interrupted sign-ups, now and every minute, until it is stopped. Then waits for the last mails. */
  run(stop: AbortSignal): Promise<void>
}

/** @param hasher one for each process: it bounds how many passwords are hashed at once */
export function createAccountParts(
  ports: AccountPorts,
  options: AccountOptions,
  hasher: PasswordHasher = new PasswordHasher(),
): AccountParts {
  const { accounts, clock, log } = ports
  const organizations = new Organizations(ports)
  const mails = new Mails(ports)
  const check = new PasswordCheck({ ...ports, hasher })
  const sessions = new Sessions(ports)
  const members = new Members({ accounts, mails, clock }, options)
  const rules = new SignUpRules(ports, options)
  const promises = new PromisedOrganizations({ accounts, organizations, mails, clock, log })
  const made = { ...ports, organizations, mails, hasher, check, sessions, members, rules, promises }
  const signUps = new SignUps(made, options)
  const secondFactors = new SecondFactors(made)
  const signIns = new SignIns({ ...made, signUps, secondFactors })
  return {
    signUps,
    signIns,
    sessions,
    passwords: new Passwords(made, options),
    secondFactors,
    emailChanges: new EmailChanges(made, options),
    members,
    providers: new Providers({ ...made, signIns }, options),
    removal: new Removal(made),
    operators: new Operators(made),
    planRequests: new PlanRequests(made, options),
    async run(stop) {
      while (!stop.aborted) {
        await promises.finish().catch((err: unknown) => {
          // The store of accounts is unavailable. /ready says so, and the promises remain.
          log.warn({ err }, 'sign-ups that were cut off could not be looked for')
        })
        await clock.sleep(FINISH_EVERY_MS, stop).catch(() => {})
      }
      await mails.settled()
    },
  }
}
