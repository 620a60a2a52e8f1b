import { randomUUID } from 'node:crypto'
import { describeWorkQueue } from '#packages/ports/work-queue.contract.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { openKafkaWorkQueue } from './work-queue.ts'

describeOn('kafka', (url) => {
  const brokers = url.split(',')
  const log = createLog('test', 'silent')

  describeWorkQueue('KafkaWorkQueue', async () => {
    const prefix = `test-${randomUUID()}`
    return {
      open: () => openKafkaWorkQueue({ brokers, log, partitions: 2, prefix }),
      async [Symbol.asyncDispose]() {},
    }
  })
})
