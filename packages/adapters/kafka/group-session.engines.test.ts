import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLog } from '#packages/telemetry/log.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { until } from '#test/doubles/service/until.ts'
import { GroupSession } from './group-session.ts'
import { KafkaLink } from './link.ts'
import { ensureTopics, Topics } from './topics.ts'

const PARTITIONS = 4
const SESSION_TIMEOUT_MS = 3000

describeOn('kafka', (url) => {
  describe('a member of a group on Kafka', function () {
    this.timeout(180_000)
    const topics = new Topics(`test-${randomUUID()}`)
    const topic = topics.of('fetch', 'standard')
    let link: KafkaLink
    beforeEach(async () => {
      link = new KafkaLink({ brokers: url.split(',') }, createLog('test', 'silent'))
      await link.withAdmin((admin) => ensureTopics(admin, topics, { partitions: PARTITIONS, replication: 1 }))
    })
    afterEach(() => link.end())

    function member(onAssigned: (partitions: number[]) => void = () => {}): GroupSession {
      return new GroupSession(link, {
        groupId: topics.groupOf('fetch'),
        topics: [topic],
        sessionTimeoutMs: SESSION_TIMEOUT_MS,
        onAssigned: (partitions) => onAssigned(partitions[topic] ?? []),
        onBatch: async () => {},
      })
    }

    it('leaves the group when it ends, even while it is still joining', async () => {
      let assigned: number[] = []
      const first = member((partitions) => {
        assigned = partitions
      })
      await first.start()
      await until('the first has all partitions', () => assigned.length === PARTITIONS)

      // It joins once the first member hears of it by a heartbeat. One of these sessions ends before that, one after.
      for (const ms of [50, 100, 200, 400, 800]) {
        const other = member()
        const starting = other.start().catch(() => undefined)
        await sleep(ms)
        await other.close()
        await Promise.race([starting, sleep(100)])
      }
      // Brokers drop a vanished member after the session timeout. A member that lives on stays for ever.
      await sleep(2 * SESSION_TIMEOUT_MS)
      await until('the first has all partitions again', () => assigned.length === PARTITIONS)
      await first.close()
    })
  })
})
