import { expect } from 'chai'
import { Kafka } from 'kafkajs'
import { type OwnEngines, startOwnEngines } from '#test/doubles/engines/own-engines.ts'
import { until } from '#test/doubles/service/until.ts'

describe('Kafka of ops/engines', function () {
  this.timeout(300_000)
  let own: OwnEngines
  const kafka = () =>
    new Kafka({ brokers: own.url.split(','), logLevel: 0, retry: { retries: 100, maxRetryTime: 200 } })
  const withAdmin = async <T>(use: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> => {
    const admin = kafka().admin()
    await admin.connect()
    try {
      return await use(admin)
    } finally {
      await admin.disconnect()
    }
  }
  afterEach(() => own[Symbol.asyncDispose]())

  it('serves within seconds, also after it was stopped or killed, keeps its data, and makes no topic by itself', async () => {
    const from = Date.now()
    own = await startOwnEngines('kafka')
    // On a quiet machine it takes four.
    expect(Date.now() - from).to.be.below(90_000)
    await withAdmin((admin) => admin.createTopics({ topics: [{ topic: 'kept' }], waitForLeaders: true }))
    await own.engines[0]?.stop()
    await own.engines[0]?.start()
    expect(await withAdmin((admin) => admin.listTopics())).to.deep.equal(['kept'])
    await own.engines[0]?.kill()
    const killed = Date.now()
    await own.engines[0]?.start()
    expect(Date.now() - killed).to.be.below(60_000)
    await withAdmin((admin) => admin.createTopics({ topics: [{ topic: 'after' }], waitForLeaders: true }))
  })

  it('keeps each partition on three brokers, and works while one of them is away', async () => {
    own = await startOwnEngines('kafka', 3)
    const topic = { topic: 'three', numPartitions: 3, replicationFactor: 3 }
    await withAdmin((admin) => admin.createTopics({ topics: [topic], waitForLeaders: true }))
    await own.engines[0]?.kill()
    const producer = kafka().producer()
    await producer.connect()
    for (const partition of [0, 1, 2]) await producer.send({ topic: 'three', messages: [{ partition, value: 'x' }] })
    await producer.disconnect()
    await own.engines[0]?.start()
    await until('all replicas are in sync again', () =>
      withAdmin(async (admin) => {
        const { topics } = await admin.fetchTopicMetadata({ topics: ['three'] })
        return topics[0]?.partitions.every(({ isr }) => isr.length === 3) ?? false
      }),
    )
  })
})
