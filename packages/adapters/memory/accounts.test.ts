import { describeAccounts } from '#packages/ports/accounts.contract.ts'
import { MemoryAccounts } from './accounts.ts'

describeAccounts('MemoryAccounts', async () => {
  const accounts = new MemoryAccounts()
  return { open: async () => accounts, async [Symbol.asyncDispose]() {} }
})
