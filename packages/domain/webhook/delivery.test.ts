import { expect } from 'chai'
import { givenTo } from '../given.harness.ts'
import { retriesInSeconds } from './attempts.ts'
import { type AttemptResult, type DeliveryCommand, type DeliveryEvent, delivery } from './delivery.ts'

const request = {
  orgId: 'acme',
  webhookId: 'w1',
  type: 'job.completed',
  jobId: 'j1',
  balance: null,
  watch: null,
  batchId: null,
} as const
const requested: DeliveryEvent = { type: 'DeliveryRequested', data: request }

const answer = (status: number | null, retryAfterSeconds: number | null = null): AttemptResult => ({
  status,
  failure: status === null ? 'timeout' : null,
  milliseconds: 5,
  answer: '',
  retryAfterSeconds,
})
const note = (result: AttemptResult, chance = 0): DeliveryCommand => ({ type: 'note', result, chance })

/** The delivery after these events, each recorded a second after the one before. */
const given = givenTo(delivery, (index) => index * 1000)

/** Answers a delivery until it ends. @returns its events, without the request */
function answered(result: AttemptResult): DeliveryEvent[] {
  const events: DeliveryEvent[] = []
  for (let state = given(requested); state.status === 'open'; state = given(requested, ...events))
    events.push(...delivery.decide(note(result), state))
  return events
}

describe('a delivery', () => {
  it('ends with the first successful answer', () => {
    for (const status of [200, 204, 299])
      expect(answered(answer(status)).map(({ type }) => type)).to.deep.equal(['DeliveryAttempted', 'DeliveryEnded'])
    expect(given(requested, ...answered(answer(204)))).to.include({ status: 'delivered', attempts: 1 })
  })

  it('is attempted after each wait until one succeeds (a redirect does not), and then has failed', () => {
    for (const failure of [answer(500), answer(302), answer(404), answer(null)]) {
      const events = answered(failure)
      const waits = events.flatMap((event) => (event.type === 'DeliveryAttempted' ? [event.data.nextInSeconds] : []))
      expect(waits).to.deep.equal([...retriesInSeconds, null])
      expect(given(requested, ...events)).to.include({ status: 'failed' })
    }
  })

  it('waits a little longer by chance, and up to a day if the receiver requests it', () => {
    const waitOf = (result: AttemptResult, chance: number): unknown => {
      const [event] = delivery.decide(note(result, chance), given(requested))
      return event?.type === 'DeliveryAttempted' && event.data.nextInSeconds
    }
    expect(waitOf(answer(503), 0.5)).to.be.within(5.2, 5.3)
    expect(waitOf(answer(429, 60), 0)).to.equal(60)
    expect(waitOf(answer(429, 1), 0)).to.equal(5)
    expect(waitOf(answer(429, 1e9), 0)).to.equal(24 * 3600)
  })

  it('fails at once if the receiver wants no more deliveries', () => {
    expect(answered(answer(410)).map(({ type }) => type)).to.deep.equal(['DeliveryAttempted', 'DeliveryEnded'])
    expect(given(requested, ...answered(answer(410)))).to.include({ status: 'failed' })
  })

  it('is requested once, and repeated once for each request, with all its attempts', () => {
    expect(delivery.decide({ type: 'request', delivery: request }, given(requested))).to.deep.equal([])
    const failed = answered(answer(410))
    const [again] = delivery.decide({ type: 'repeat', request: 'r1' }, given(requested, ...failed))
    const repeated = given(requested, ...failed, again as DeliveryEvent)
    expect(repeated).to.include({ status: 'open', attempts: 0, dueAt: 3000 })
    expect(delivery.decide({ type: 'repeat', request: 'r1' }, repeated)).to.deep.equal([])
    expect(delivery.decide({ type: 'repeat', request: 'r2' }, repeated)).to.have.length(1)
  })

  it('is unchanged once it has ended, and does not exist before it is requested', () => {
    const ended = given(requested, ...answered(answer(200)))
    for (const command of [note(answer(200)), { type: 'drop' } as const]) {
      expect(delivery.decide(command, ended)).to.deep.equal([])
      expect(delivery.decide(command, given())).to.deep.equal([])
    }
    expect(given(requested, ...delivery.decide({ type: 'drop' }, given(requested)))).to.include({ status: 'dropped' })
  })

  it('is requested and dropped if too many are open', () => {
    const events = delivery.decide({ type: 'request', delivery: request, isDropped: true }, given())
    expect(given(...events)).to.include({ status: 'dropped' })
  })
})
