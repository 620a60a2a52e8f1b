import { join } from 'node:path'
import { describeAccounts } from '#packages/ports/accounts.contract.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { openSqliteAccounts } from './accounts.ts'

describeAccounts('SqliteAccounts', async () => {
  const folder = await temporaryDirectory()
  return { ...folder, open: async () => openSqliteAccounts({ path: join(folder.path, 'accounts.sqlite') }) }
})
