import { describeRateCounters } from '#packages/ports/rate-counters.contract.ts'
import { memoryRateCounters } from './rate-counters.ts'

describeRateCounters('memoryRateCounters', async () => ({
  counters: memoryRateCounters,
  async [Symbol.asyncDispose]() {},
}))
