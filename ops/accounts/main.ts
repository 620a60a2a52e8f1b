/**
 * `npm run accounts`: operators manage the people of the dashboard, whether the service runs or not.
 *
 *   npm run accounts -- list                          everybody, with their organizations
 *   npm run accounts -- invite EMAIL                  prints a link to sign up with this address
 *   npm run accounts -- operator EMAIL [--remove]     gives or takes away the operators' pages
 *   npm run accounts -- reset EMAIL                   prints a link to choose a new password
 *   npm run accounts -- reset-second-factor EMAIL     makes the password enough again, after lost codes
 *   npm run accounts -- remove EMAIL                  also removes organizations without another owner; needs the service
 *
 * With --sandbox: on the data of `npm start -- --sandbox`. The running service sees changes at once.
 */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { type AccountParts, createAccountParts } from '#packages/accounts/people/account-parts.ts'
import { withoutSecondFactor } from '#packages/accounts/people/second-factors.ts'
import { memoryRateCounters as counters } from '#packages/adapters/memory/rate-counters.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { type Config, readConfig } from '#packages/foundation/config/config.ts'
import { signUpRuleOf } from '#packages/foundation/config/dashboard-rules.ts'
import { printable } from '#packages/foundation/printable/printable.ts'
import { KEY_BYTES, Sealer } from '#packages/foundation/secrets/sealer.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import type { Account, Accounts } from '#packages/ports/accounts.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { dashboardPath } from '#services/host/dashboard.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { openAccounts, openMongo, openStore, openViews } from '#services/host/engines.ts'
import { localUrl } from '#services/host/local-url.ts'
import { knownSealer } from '#services/host/open-sealer.ts'
import { runningServiceOn } from '#services/host/service-note.ts'
import { placeOf } from '../organizations/place.ts'
import { runCommand } from '../organizations/run-command.ts'
import { type AccountsCommand, accountsOptions, parseAccountsCommand } from './command.ts'

const PAGE = 500

const say = (line: string): void => console.log(printable(line))

async function* everybody(accounts: Accounts): AsyncIterable<Account> {
  for (let after = ''; ; ) {
    const page = await accounts.page(after, PAGE)
    yield* page
    const last = page.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

async function list(accounts: Accounts): Promise<void> {
  const all = await Array.fromAsync(everybody(accounts))
  for (const account of all.sort((one, other) => one.createdAt - other.createdAt)) {
    const { createdAt, email, verifiedAt, isOperator, memberships } = account
    const marks = [...(verifiedAt === null ? ['unconfirmed'] : []), ...(isOperator ? ['operator'] : [])].join(' ')
    const organizations = memberships.map(({ orgId, role }) => `${role} of ${orgId}`).join(', ')
    say([isoOf(createdAt).slice(0, 10), email, marks, organizations].filter((cell) => cell !== '').join('  '))
  }
}

async function known(accounts: Accounts, email: string): Promise<Account> {
  const account = await accounts.byEmail(email)
  if (account === undefined) throw new Error('nobody has this e-mail address')
  return account
}

async function execute(command: AccountsCommand, accounts: Accounts, parts: AccountParts): Promise<void> {
  switch (command.type) {
    case 'list':
      return list(accounts)
    case 'invite':
      say(await parts.signUps.invite(command.email))
      console.error('works once, for seven days, with this address')
      return
    case 'operator': {
      const { isOperator } = command
      const { id, email } = await known(accounts, command.email)
      await accounts.update(id, (account) => ({ ...account, isOperator }))
      say(`${email} is ${isOperator ? 'an operator' : 'no operator any more'}`)
      return
    }
    case 'reset': {
      const { email } = await known(accounts, command.email)
      say((await parts.passwords.resetLink(email)) ?? '')
      console.error('works once, for one hour')
      return
    }
    case 'reset-second-factor': {
      const { id, email } = await known(accounts, command.email)
      await accounts.update(id, withoutSecondFactor)
      say(`${email} signs in with the password alone`)
      return
    }
    case 'remove': {
      const { id, email } = await known(accounts, command.email)
      await parts.removal.remove(id)
      say(`${email} is removed`)
    }
  }
}

/** The base of links: PUBLIC_URL, or the service that runs here. */
const dashboardUrlOf = ({ publicUrl, host, port }: Config, dataDir: string): string =>
  (publicUrl ?? runningServiceOn(dataDir) ?? localUrl(host, port)) + dashboardPath

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ options: accountsOptions, allowPositionals: true })
  const command = parseAccountsCommand({ positionals, values })
  const config = readConfig(process.env)
  const { dataDir, told } = await placeOf(config, values)
  for (const line of told) console.error(printable(line))
  const signUp = signUpRuleOf(config)
  if (command.type === 'invite' && signUp === 'closed')
    throw new Error('SIGNUP=closed: no one can create an organization, not even with an invitation')
  if (command.type === 'remove' && config.eventStoreUrl === undefined && runningServiceOn(dataDir) === undefined)
    throw new Error('start the service first: it shows which keys and jobs an organization has')
  const data = await openDataDirectory(dataDir)
  const opened = await openStore(config, data)
  await using store = opened.store
  await using mongo = await openMongo(config)
  await using accounts = await openAccounts(data, mongo)
  // Only a removal reads jobs and keys.
  await using views =
    command.type === 'remove' ? await openViews(data, { clock, mongo }) : new MemoryViews({ clock, definition })
  const ledgers = new Ledgers({ store, clock, ids })
  const log = createLog('accounts', config.logLevel)
  // No command seals anything.
  const sealer = knownSealer(config, dataDir) ?? new Sealer(randomBytes(KEY_BYTES))
  const ports = { accounts, store, views, ledgers, counters, sealer, attempts: new AttemptsUnderWay(), clock, ids, log }
  const dashboardUrl = dashboardUrlOf(config, dataDir)
  const { signUpsPerDay } = config
  const parts = createAccountParts(ports, { signUp, signUpsPerDay, dashboardUrl: () => dashboardUrl })
  await execute(command, accounts, parts)
}

await runCommand('accounts', main)
