import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js'
import { expect } from 'chai'
import { failureOf } from '#packages/ports/event-store-samples.contract.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { notFoundMessage } from '#test/doubles/eventstoredb/messages.ts'
import { until } from '#test/doubles/service/until.ts'
import { mostCalls } from './connection.ts'
import { openEventStoreDb } from './event-store.ts'

type Call = ServerWritableStream<ReadReq, ReadResp>

/** A server that holds every read until the test answers it. */
async function holdingServer() {
  const held: Call[] = []
  const server = new Server()
  server.addService(services.StreamsService, { read: (call: Call) => held.push(call) } as never)
  const port = await new Promise<number>((resolve, reject) => {
    const insecure = ServerCredentials.createInsecure()
    server.bindAsync('127.0.0.1:0', insecure, (error, bound) => (error ? reject(error) : resolve(bound)))
  })
  return { held, url: `esdb://127.0.0.1:${port}?tls=false`, [Symbol.dispose]: () => server.forceShutdown() }
}

const soon = { everyMs: 2 }
const answer = (call: Call): void => {
  call.write(notFoundMessage('job-a'))
  call.end()
}

describe('EventStoreDb and more calls at once than a connection carries', function () {
  // Retried: these tests rely on deadlines, and a busy machine may stall longer than these.
  this.retries(2)

  it('lets further calls wait for their turn, without using up their deadline', async () => {
    const deadlineMs = 1500
    using server = await holdingServer()
    await using store = openEventStoreDb(server.url, { deadlineMs, patienceMs: 2000 })
    const reads = Array.from({ length: mostCalls * 3 }, () => store.read('job-a'))
    for (let round = 1; round <= 3; round++) {
      await until('so many are there', () => server.held.length === mostCalls * round, soon)
      const from = performance.now()
      await until('half of their time is over', () => performance.now() - from > deadlineMs / 2, soon)
      for (const call of server.held.slice(-mostCalls)) answer(call)
    }
    expect((await Promise.all(reads)).flat()).to.deep.equal([])
    expect(server.held, 'none was repeated').to.have.length(mostCalls * 3)
  })

  it('fails the waiting calls without sending each, if no call is answered', async () => {
    const times = { deadlineMs: 400, patienceMs: 500 }
    using server = await holdingServer()
    await using store = openEventStoreDb(server.url, times)
    const errors = await Promise.all(Array.from({ length: mostCalls * 10 }, () => failureOf(store.read('job-a'))))
    expect(errors.filter((error) => !(error instanceof UnreachableError))).to.deep.equal([])
    expect(server.held.length).to.be.lessThan(mostCalls * 5)
  })
})
