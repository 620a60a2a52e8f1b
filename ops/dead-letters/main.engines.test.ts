import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { openKafkaWorkQueue } from '#packages/adapters/kafka/work-queue.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { someTask } from '#test/doubles/engines/some-task.ts'

describeOn('kafka', (url) => {
  describe('npm run dead-letters on Kafka', function () {
    this.timeout(180_000)
    const prefix = `test-${randomUUID()}`
    const run = async (...words: string[]): Promise<string> => {
      const env = { ...process.env, KAFKA_BROKERS: url, KAFKA_PREFIX: prefix, KAFKA_PARTITIONS: '2' }
      const command = ['--import', 'tsx/esm', 'ops/dead-letters/main.ts', ...words]
      return (await promisify(execFile)(process.execPath, command, { env })).stdout
    }

    it('lists messages that a worker rejected, and returns one to the workers', async () => {
      const log = createLog('test', 'silent')
      const options = { brokers: url.split(','), log, partitions: 2, replication: 0, prefix }
      await using queue = await openKafkaWorkQueue(options)
      await using consumer = queue.consume('caption')
      const task = someTask({ step: 'caption' })
      await queue.publish(task)
      await (await consumer.take('standard', AbortSignal.timeout(45_000))).reject('no worker can handle it')
      const listed = await run('list')
      expect(listed).to.contain('no worker can handle it').and.to.contain(task.jobId)
      expect(await run('replay', listed.split(' ')[0] ?? '')).to.match(/is in its topic again/)
      const again = await consumer.take('standard', AbortSignal.timeout(45_000))
      await again.acknowledge()
      expect(again.task).to.deep.equal(task)
      expect(await run('list')).to.equal('')
    })

    it('fails with a message if there is no such dead letter', async () => {
      const error = await run('replay', '99').catch((thrown: { code: number; stderr: string }) => thrown)
      expect(error).to.include({ code: 1, stderr: 'there is no dead letter 99\n' })
    })
  })
})
