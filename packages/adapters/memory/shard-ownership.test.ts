import { describeShardOwnership } from '#packages/ports/shard-ownership.contract.ts'
import { MemoryShardOwnership } from './shard-ownership.ts'

describeShardOwnership('MemoryShardOwnership', async () => {
  const ownership = new MemoryShardOwnership()
  return { open: async () => ownership, async [Symbol.asyncDispose]() {} }
})
