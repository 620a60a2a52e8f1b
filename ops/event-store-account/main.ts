/**
 * `npm run event-store-account`: makes the services' account in EventStoreDB, for operators. EVENT_STORE_URL has an
 * administrator's login, EVENT_STORE_ACCOUNT is `name:password`.
 */
import { prepareAccount } from '#packages/adapters/eventstoredb/account.ts'

async function main({
  EVENT_STORE_URL: url = '',
  EVENT_STORE_ACCOUNT: account = '',
}: NodeJS.ProcessEnv): Promise<void> {
  const [, name, password] = /^([\w-]+):(.+)$/.exec(account) ?? []
  if (url === '' || name === undefined || password === undefined)
    throw new Error("set EVENT_STORE_URL to an administrator's, and EVENT_STORE_ACCOUNT to name:password")
  await prepareAccount(url, { name, password })
  console.log(`the account ${name} is there, and may read the feed`)
}

await main(process.env).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
