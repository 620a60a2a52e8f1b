import { expect } from 'chai'
import type { KafkaLink } from './link.ts'
import { Publisher } from './publisher.ts'

/** `to`: topics and partitions. */
type Sent = { producer: number; to: string[]; values: string[] }

type Topic = { topic: string; messages: { partition: number; value: string }[] }

/** A link with fake producers. */
class FakeLink {
  readonly sent: Sent[] = []
  readonly #ended = new AbortController()
  readonly ended = this.#ended.signal
  producers = 0
  underWay = 0
  mostUnderWay = 0
  configuration: object = {}
  /** The outcome of each send; by default it succeeds. `lacks one`: the answer lacks the last partition. */
  outcome: (nth: number) => 'taken' | 'fails' | 'lacks one' = () => 'taken'

  readonly kafka = {
    producer: (configuration: object) => {
      this.configuration = configuration
      this.producers += 1
      const producer = this.producers
      return {
        connect: async () => {},
        disconnect: async () => {},
        sendBatch: (batch: never) => this.#send(producer, batch),
      }
    },
  }

  readonly troubles = { failed() {}, answered() {} }

  close = async () => {}

  async #send(producer: number, { acks, topicMessages }: { acks: number; topicMessages: Topic[] }) {
    expect(acks).to.equal(-1)
    const all = topicMessages.flatMap(({ topic, messages }) => messages.map((message) => ({ topic, ...message })))
    const to = [...new Set(all.map(({ topic, partition }) => `${topic}/${partition}`))]
    this.sent.push({ producer, to, values: all.map(({ value }) => value) })
    const outcome = this.outcome(this.sent.length)
    this.underWay += 1
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay)
    await new Promise<void>((resolve) => setImmediate(resolve))
    this.underWay -= 1
    if (outcome === 'fails') throw new Error('the leader has moved')
    const answers = to.map((one) => ({ topicName: one.split('/')[0], partition: Number(one.split('/')[1]) }))
    return outcome === 'taken' ? answers : answers.slice(0, -1)
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

  it('sends what waits for all partitions at once, in one idempotent send at a time, to replicas in sync', async () => {
    const first = sendAll(1, 1)
    await new Promise<void>((resolve) => queueMicrotask(resolve))
    await Promise.all([first, sendAll(40, 4), publisher.send('other', 7, { value: 'x' })])
    expect(link.sent.map(({ to }) => to)).to.deep.equal([['t/0'], ['t/0', 't/1', 't/2', 't/3', 'other/7']])
    expect(link.mostUnderWay).to.equal(1)
    expect(link.configuration).to.include({ idempotent: true, maxInFlightRequests: 1 })
    expect(link.sent.flatMap(({ values }) => values)).to.have.length(42)
  })

  it('sends at most 100 of the waiting messages at once, in order', async () => {
    await sendAll(250, 1)
    expect(link.sent.map(({ values }) => values.length)).to.deep.equal([100, 100, 50])
    expect(link.sent.flatMap(({ values }) => values)).to.deep.equal(Array.from({ length: 250 }, (_, n) => String(n)))
  })

  it('resends a failed batch by a new producer with fresh sequence numbers', async () => {
    link.outcome = (nth) => (nth === 1 ? 'fails' : 'taken')
    await sendAll(3, 1)
    expect(link.sent).to.deep.equal([
      { producer: 1, to: ['t/0'], values: ['0', '1', '2'] },
      { producer: 2, to: ['t/0'], values: ['0', '1', '2'] },
    ])
  })

  it('does not accept an answer that lacks the partition', async () => {
    link.outcome = (nth) => (nth === 1 ? 'lacks one' : 'taken')
    await sendAll(1, 1)
    expect(link.sent).to.have.length(2)
  })

  it('sends to each partition separately if a send to several failed, or its answer lacks one', async () => {
    for (const outcome of ['fails', 'lacks one'] as const) {
      link.sent.length = 0
      link.outcome = (nth) => (nth === 1 ? outcome : 'taken')
      await sendAll(4, 2)
      expect(link.sent.map(({ to, values }) => [to, values])).to.deep.equal([
        [
          ['t/0', 't/1'],
          ['0', '2', '1', '3'],
        ],
        [['t/0'], ['0', '2']],
        [['t/1'], ['1', '3']],
      ])
    }
  })

  it('reports the topics of each send before it begins', async () => {
    const said: [topic: string, sentBefore: number][] = []
    const telling = new Publisher(link as unknown as KafkaLink, (topic) => said.push([topic, link.sent.length]))
    await Promise.all(['a', 'b', 'a'].map((topic, n) => telling.send(topic, 0, { value: String(n) })))
    expect(link.sent).to.have.length(1)
    await telling.close()
    expect(said).to.deep.equal([
      ['a', 0],
      ['b', 0],
    ])
  })

  it('accepts no messages once it is closed', async () => {
    await publisher.close()
    const error = await publisher.send('t', 0, { value: 'x' }).catch((thrown: Error) => thrown.message)
    expect(error).to.equal('the work queue is closed')
  })
})
