/**
 * `npm run org`: operators manage organizations, whether the service runs or not.
 *
 *   npm run org -- create NAME [--plan free|starter|pro] [--json]    makes one, and its first key
 *   npm run org -- plan ORG PLAN
 *   npm run org -- grant ORG CREDITS
 *   npm run org -- key ORG NAME [--scopes read,jobs,keys] [--monthly-credits N] [--expires DATE] [--json]
 *   npm run org -- list
 *
 * With --sandbox: on the data of `npm start -- --sandbox`. The running service sees changes within a second.
 */
import { parseArgs } from 'node:util'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { type MadeKey, Organizations } from '#packages/accounts/organizations/organizations.ts'
import { systemClock } from '#packages/adapters/system/clock.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import { assertStoreIntact } from '#packages/foundation/errors/assert-store-intact.ts'
import { printable } from '#packages/foundation/printable/printable.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { openStore } from '#services/host/engines.ts'
import { type OrgCommand, orgOptions, parseOrgCommand } from './command.ts'
import { placeOf } from './place.ts'
import { runCommand } from './run-command.ts'

function show(made: MadeKey, { json }: { json: boolean }): void {
  if (json) console.log(JSON.stringify(made))
  else
    console.log(`organization ${made.orgId}\nkey id       ${made.keyId}\nkey          ${made.key}   (shown this once)`)
}

async function execute(command: OrgCommand, organizations: Organizations): Promise<void> {
  switch (command.type) {
    case 'create':
      return show(await organizations.create(command.name, command.plan), command)
    case 'key':
      return show(await organizations.createKey(command.orgId, command.request), command)
    case 'plan': {
      const { plan, balance } = await organizations.changePlan(command.orgId, command.plan)
      console.log(printable(`${command.orgId} has the plan ${plan} and ${balance} credits`))
      return
    }
    case 'grant': {
      const { balance } = await organizations.grant(command.orgId, command.credits)
      console.log(printable(`${command.orgId} has ${balance} credits`))
      return
    }
    case 'list': {
      let count = 0
      for await (const { orgId, name, ledger } of organizations.list()) {
        count += 1
        console.log(printable([orgId, ledger.plan.padEnd(7), String(ledger.balance).padStart(8), name].join('  ')))
      }
      if (count === 0) console.error('there are no organizations yet: npm run org -- create NAME makes one')
    }
  }
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ options: orgOptions, allowPositionals: true })
  const command = parseOrgCommand({ positionals, values }, systemClock.now())
  const config = readConfig(process.env)
  const { dataDir, told } = await placeOf(config, values)
  for (const line of told) console.error(printable(line))
  const opened = await openStore(config, await openDataDirectory(dataDir))
  await using store = opened.store
  if (command.type !== 'list') assertStoreIntact(store)
  const ports = { store, clock: systemClock, ids: systemIds }
  await execute(command, new Organizations({ ...ports, ledgers: new Ledgers(ports) }))
}

await runCommand('org', main)
