import { EventStoreDBClient, NotLeaderError } from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { Metadata, Server, ServerCredentials, type ServerWritableStream, status } from '@grpc/grpc-js'
import { expect } from 'chai'
import { failureOf } from '#packages/ports/event-store-samples.contract.ts'
import { until } from '#test/doubles/service/until.ts'
import { eventsOf } from './in-time.ts'

const { ReadResp } = streams
type Request = InstanceType<typeof streams.ReadReq>
type Call = ServerWritableStream<Request, InstanceType<typeof ReadResp>>

/** A server that gives the answers of the test. The long deadline allows for a busy machine. */
async function scriptedServer(answer: (call: Call) => void, deadlineMs = 20_000) {
  const requests: Request[] = []
  let cancelled = 0
  const server = new Server()
  const read = (call: Call): void => {
    requests.push(call.request)
    call.on('cancelled', () => cancelled++)
    answer(call)
  }
  server.addService(services.StreamsService, { read } as never)
  const port = await new Promise<number>((resolve, reject) => {
    const insecure = ServerCredentials.createInsecure()
    server.bindAsync('127.0.0.1:0', insecure, (error, bound) => (error ? reject(error) : resolve(bound)))
  })
  const client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${port}?tls=false`)
  return {
    requests,
    port,
    read: () => eventsOf(client, 'job-a', {}, deadlineMs),
    cancelled: () => cancelled,
    async [Symbol.asyncDispose]() {
      await client.dispose()
      server.forceShutdown()
    },
  }
}

function eventAnswer(revision: number) {
  const event = new ReadResp.ReadEvent.RecordedEvent()
  event.setId(new shared.UUID().setString(crypto.randomUUID())).setStreamRevision(String(revision))
  event.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from('job-a')))
  return new ReadResp().setEvent(new ReadResp.ReadEvent().setEvent(event))
}

describe('reads of streams of EventStoreDB', () => {
  it('fail and are cancelled if the server sends nothing in time, also in the middle', async () => {
    const deadlineMs = 150
    await using server = await scriptedServer((call) => call.write(eventAnswer(0)), deadlineMs)
    // On a busy machine the first may time out before there is a connection.
    await until('the server has heard of one that was given up', async () => {
      expect(String(await failureOf(server.read()))).to.contain(`gave nothing for ${deadlineMs} ms`)
      return server.cancelled() > 0
    })
  })

  it('go to the leader that a node names', async () => {
    await using leader = await scriptedServer((call) => call.end())
    await using follower = await scriptedServer((call) => {
      const metadata = new Metadata()
      metadata.set('exception', 'not-leader')
      metadata.set('leader-endpoint-host', '127.0.0.1')
      metadata.set('leader-endpoint-port', String(leader.port))
      call.emit('error', Object.assign(new Error('not leader'), { code: status.NOT_FOUND, details: '', metadata }))
    })
    expect(await failureOf(follower.read())).to.be.instanceOf(NotLeaderError)
    await until('the leader is asked', async () => {
      await follower.read().catch(() => undefined)
      return leader.requests.length > 0
    })
  })
})
