import { expect } from 'chai'
import type { KafkaLink } from './link.ts'
import { Publisher } from './publisher.ts'

type Sent = { producer: number; topic: string; partitions: number[]; values: string[] }

/** A link with fake producers. */
class FakeLink {
  readonly sent: Sent[] = []
  readonly #ended = new AbortController()
  readonly ended = this.#ended.signal
  producers = 0
  underWay = 0
  mostUnderWay = 0
  configuration: object = {}
  /** The outcome of each send; by default it succeeds. */
  outcome: (nth: number) => 'taken' | 'fails' | 'says nothing' = () => 'taken'

  readonly kafka = {
    producer: (configuration: object) => {
      this.configuration = configuration
      this.producers += 1
      const producer = this.producers
      return {
        connect: async () => {},
        disconnect: async () => {},
        send: (record: never) => this.#send(producer, record),
      }
    },
  }

  readonly troubles = { failed() {}, answered() {} }

  close = async () => {}

  async #send(
    producer: number,
    record: { topic: string; acks: number; messages: { partition: number; value: string }[] },
  ) {
    const { topic, messages } = record
    expect(record.acks).to.equal(-1)
    const partitions = [...new Set(messages.map(({ partition }) => partition))]
    this.sent.push({ producer, topic, partitions, values: messages.map(({ value }) => value) })
    const outcome = this.outcome(this.sent.length)
    this.underWay += 1
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay)
    await new Promise<void>((resolve) => setImmediate(resolve))
    this.underWay -= 1
    if (outcome === 'fails') throw new Error('the leader has moved')
    return outcome === 'taken' ? [{ topicName: topic, partition: partitions[0] }] : []
  }
}

describe('Publisher', () => {
  let link: FakeLink
  let publisher: Publisher
  beforeEach(() => {
    link = new FakeLink()
    publisher = new Publisher(link as unknown as KafkaLink)
  })
  afterEach(() => publisher.close())
  const sendAll = async (count: number, partitions: number): Promise<void> => {
    await Promise.all(
      Array.from({ length: count }, (_, n) => publisher.send('t', n % partitions, { value: String(n) })),
    )
  }

  it('sends to one partition at a time, one send after the other, all replicas in sync, idempotent', async () => {
    await sendAll(40, 4)
    expect(link.sent.every(({ partitions }) => partitions.length === 1)).to.equal(true)
    expect(link.mostUnderWay).to.equal(1)
    expect(link.configuration).to.include({ idempotent: true, maxInFlightRequests: 1 })
    expect(link.sent.flatMap(({ values }) => values)).to.have.length(40)
  })

  it('puts the messages that wait for a partition into one send, at most 100, in order', async () => {
    await sendAll(250, 1)
    expect(link.sent.map(({ values }) => values.length)).to.deep.equal([100, 100, 50])
    expect(link.sent.flatMap(({ values }) => values)).to.deep.equal(Array.from({ length: 250 }, (_, n) => String(n)))
  })

  it('sends a failed batch again by a new producer, with fresh sequence numbers', async () => {
    link.outcome = (nth) => (nth === 1 ? 'fails' : 'taken')
    await sendAll(3, 1)
    expect(link.sent).to.deep.equal([
      { producer: 1, topic: 't', partitions: [0], values: ['0', '1', '2'] },
      { producer: 2, topic: 't', partitions: [0], values: ['0', '1', '2'] },
    ])
  })

  it('does not accept an answer without the partition', async () => {
    link.outcome = (nth) => (nth === 1 ? 'says nothing' : 'taken')
    await sendAll(1, 1)
    expect(link.sent).to.have.length(2)
  })

  it('says of each send, before it begins, to which topic it goes', async () => {
    const said: [topic: string, sentBefore: number][] = []
    const telling = new Publisher(link as unknown as KafkaLink, (topic) => said.push([topic, link.sent.length]))
    await Promise.all(['a', 'b', 'a'].map((topic, n) => telling.send(topic, 0, { value: String(n) })))
    await telling.close()
    expect(said).to.deep.equal([
      ['a', 0],
      ['b', 1],
    ])
  })

  it('accepts no messages once it is closed', async () => {
    await publisher.close()
    const error = await publisher.send('t', 0, { value: 'x' }).catch((thrown: Error) => thrown.message)
    expect(error).to.equal('the work queue is closed')
  })
})
