import { randomUUID } from 'node:crypto'
import { describeOwnership } from '#packages/ports/ownership.contract.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { KafkaWorkQueue } from './work-queue.ts'

describeOn('kafka', (url) => {
  const log = createLog('test', 'silent')

  describeOwnership('OwnerElection', async () => {
    const prefix = `test-${randomUUID()}`
    const queues: KafkaWorkQueue[] = []
    return {
      async open() {
        const queue = new KafkaWorkQueue({ brokers: url.split(','), log, partitions: 1, replication: 1, prefix })
        queues.push(queue)
        return queue.ownershipOf('orchestrator')
      },
      async [Symbol.asyncDispose]() {
        await Promise.all(queues.map((queue) => queue[Symbol.asyncDispose]()))
      },
    }
  })
})
