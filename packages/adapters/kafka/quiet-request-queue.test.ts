import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import { quietRequestQueue } from './quiet-request-queue.ts'

const require = createRequire(import.meta.url)

type Queue = {
  throttledUntil: number
  throttleCheckTimeoutId: unknown
  scheduleCheckPendingRequests(): void
  scheduleRequestTimeoutCheck(): void
  push(request: object): void
  fulfillRequest(response: object): void
  destroy(): void
}

describe('quietRequestQueue', () => {
  before(quietRequestQueue)
  const queues: Queue[] = []
  afterEach(() => {
    for (const queue of queues.splice(0)) queue.destroy()
  })
  const makeQueue = (options = {}): Queue => {
    const RequestQueue = require('kafkajs/src/network/requestQueue')
    const logger = { debug() {}, warn() {} }
    const usual = { maxInFlightRequests: 1, requestTimeout: 1000, clientId: 'c', broker: 'b', logger }
    const queue = new RequestQueue({ ...usual, ...options })
    queues.push(queue)
    return queue
  }
  const request = (correlationId: number, sent: number[]) => ({
    entry: { correlationId, resolve() {}, reject() {} },
    expectResponse: true,
    sendRequest: () => void sent.push(correlationId),
  })

  it('was written for this version of kafkajs: check it again when this fails', () => {
    expect(require('kafkajs/package.json').version).to.equal('2.2.4')
    const source = readFileSync(require.resolve('kafkajs/src/network/requestQueue'))
    expect(createHash('sha256').update(source).digest('hex').slice(0, 16)).to.equal('b55986089c14f8f7')
  })

  it('sets no timer while no request waits and nothing is throttled', () => {
    const queue = makeQueue()
    queue.scheduleCheckPendingRequests()
    expect(queue.throttleCheckTimeoutId).to.equal(null)
    queue.push(request(1, []))
    queue.fulfillRequest({ correlationId: 1, payload: null, size: 0 })
    expect(queue.throttleCheckTimeoutId).to.equal(null)
  })

  it('sends a waiting request when the one before it is answered', () => {
    const queue = makeQueue()
    const sent: number[] = []
    queue.push(request(1, sent))
    queue.push(request(2, sent))
    expect(sent).to.deep.equal([1])
    queue.fulfillRequest({ correlationId: 1, payload: null, size: 0 })
    expect(sent).to.deep.equal([1, 2])
  })

  it('sends waiting requests once the broker no longer throttles', async () => {
    const queue = makeQueue()
    queue.throttledUntil = Date.now() + 30
    await new Promise<void>((resolve) => queue.push({ ...request(1, []), sendRequest: resolve }))
    expect(Date.now()).to.be.at.least(queue.throttledUntil)
  })

  it('ends a request that is not answered in time, on a connection that is checked', async () => {
    const requestTimeout = 200
    const queue = makeQueue({ requestTimeout, enforceRequestTimeout: true })
    queue.scheduleRequestTimeoutCheck()
    const sentAt = Date.now()
    const asked = request(1, [])
    const error = await new Promise((reject) => queue.push({ ...asked, entry: { ...asked.entry, reject } }))
    expect(String(error)).to.contain('timed out')
    // A timer counts from the beginning of its turn of the event loop.
    expect(Date.now() - sentAt).to.be.at.least(requestTimeout / 2)
  })
})
