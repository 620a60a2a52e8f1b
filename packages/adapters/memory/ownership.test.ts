import { describeOwnership } from '#packages/ports/ownership.contract.ts'
import { MemoryOwnership } from './ownership.ts'

describeOwnership('MemoryOwnership', async () => {
  const ownership = new MemoryOwnership()
  return { open: async () => ownership, async [Symbol.asyncDispose]() {} }
})
