import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeAccounts } from '#packages/ports/accounts.contract.ts'
import { openSqliteAccounts } from './accounts.ts'

describeAccounts('SqliteAccounts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'accounts-'))
  return {
    open: async () => openSqliteAccounts({ path: join(folder, 'accounts.sqlite') }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
})
