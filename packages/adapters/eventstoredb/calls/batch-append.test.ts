import { AccessDeniedError, ErrorType, EventStoreDBClient, NotLeaderError } from '@eventstore/db-client'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import statusPb from '@eventstore/db-client/generated/status_pb.js'
import services from '@eventstore/db-client/generated/streams_grpc_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import { Metadata, Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js'
import { expect } from 'chai'
import anyPb from 'google-protobuf/google/protobuf/any_pb.js'
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js'
import { failureOf } from '#packages/ports/event-store-samples.contract.ts'
import { until } from '#test/doubles/service/until.ts'
import { proposedOf } from './append-request.ts'
import { BatchAppend, mostOutstanding } from './batch-append.ts'
import { isAnswered, typeOf } from './failures.ts'

type Request = InstanceType<typeof streams.BatchAppendReq>
type Answer = InstanceType<typeof streams.BatchAppendResp>
type Call = ServerDuplexStream<Request, Answer>
/** A stream that a client has opened, and the requests that it has sent over it. */
type Opened = { call: Call; requests: Request[] }

const soon = { everyMs: 2 }
/** Longer than any answer takes on a busy machine. */
const deadlineMs = 20_000
/** For tests of what happens when the deadline passes. They are retried, because the machine may stall for longer. */
const briefMs = 600
const credentials = { username: 'u', password: 'p' }

/** A server that gives the answers of the test. */
async function scriptedServer() {
  const opened: Opened[] = []
  const server = new Server()
  const batchAppend = (call: Call): void => {
    const stream: Opened = { call, requests: [] }
    opened.push(stream)
    call.on('data', (request: Request) => stream.requests.push(request)).on('error', () => undefined)
  }
  server.addService(services.StreamsService, { batchAppend } as never)
  const port = await new Promise<number>((resolve, reject) => {
    const insecure = ServerCredentials.createInsecure()
    server.bindAsync('127.0.0.1:0', insecure, (error, bound) => (error ? reject(error) : resolve(bound)))
  })
  return { opened, port, [Symbol.dispose]: () => server.forceShutdown() }
}

const nameOf = (request: Request): string =>
  Buffer.from(request.getOptions()?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()

function answerTo(request: Request | undefined): Answer {
  const answer = new streams.BatchAppendResp()
  answer.setCorrelationId(request?.getCorrelationId())
  return answer
}

function success(request: Request | undefined, revision: number): Answer {
  const at = new shared.AllStreamPosition().setCommitPosition('70').setPreparePosition('70')
  const done = new streams.BatchAppendResp.Success().setCurrentRevision(String(revision)).setPosition(at as never)
  return answerTo(request).setSuccess(done)
}

/** @param type the type of the message with details; empty for no such message */
function refusal(request: Request | undefined, type: string, text = ''): Answer {
  const details = new anyPb.Any()
  details.pack(new emptyPb.Empty().serializeBinary(), type)
  const error = new statusPb.Status().setMessage(text)
  return answerTo(request).setError(type === '' ? error : error.setDetails(details))
}

describe('the stream of appends to EventStoreDB', () => {
  let server: Awaited<ReturnType<typeof scriptedServer>>
  let client: EventStoreDBClient
  let appends: BatchAppend
  beforeEach(async () => {
    server = await scriptedServer()
    client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${server.port}?tls=false`)
    appends = new BatchAppend(client, { credentials, deadlineMs })
  })
  afterEach(async () => {
    appends[Symbol.dispose]()
    await client.dispose()
    server[Symbol.dispose]()
  })

  const appendOver = (over: BatchAppend, stream: string) => {
    const answer = over.append(proposedOf(stream, 'no-stream', []))
    // Some fail before the test looks at them.
    answer.catch(() => undefined)
    return answer
  }
  const append = (stream: string) => appendOver(appends, stream)
  /** The n-th stream, once it has received this many requests. */
  const stream = (n: number, requests: number): Promise<Opened> =>
    until(
      `${requests} requests`,
      () => {
        const one = server.opened[n]
        return one !== undefined && one.requests.length >= requests && one
      },
      soon,
    )

  it('is one stream, and gives each caller its own answer, in any order', async () => {
    const asked = ['job-a', 'job-b', 'job-c'].map(append)
    const { call, requests } = await stream(0, 3)
    expect(requests.map(nameOf), 'in the order of the calls').to.deep.equal(['job-a', 'job-b', 'job-c'])
    for (const n of [2, 0, 1]) call.write(success(requests[n], n))
    expect(await Promise.all(asked)).to.deep.equal([0, 1, 2].map((revision) => ({ revision, position: 70 })))
    expect(server.opened).to.have.length(1)
  })

  it('requires the leader, and sets no deadline that the server’s clock could reach', async () => {
    append('job-a')
    const { call, requests } = await stream(0, 1)
    expect(call.metadata.get('requires-leader')).to.deep.equal(['true'])
    expect(call.getDeadline()).to.equal(Infinity)
    const seconds = requests[0]?.getOptions()?.getDeadline()?.getSeconds() ?? 0
    expect(seconds, 'a server that is hours ahead takes it').to.be.greaterThan(Date.now() / 1000 + 23 * 3600)
  })

  it('fails all appends under way with an error that allows a repeat; the next one opens another stream', async () => {
    const asked = ['job-a', 'job-b'].map(append)
    const { call } = await stream(0, 2)
    call.emit('error', Object.assign(new Error('gone'), { code: status.UNAVAILABLE, details: 'gone' }))
    for (const one of asked) {
      const error = await failureOf(one)
      expect(typeOf(error)).to.equal(ErrorType.UNAVAILABLE)
      expect(isAnswered(error)).to.equal(false)
    }
    const again = append('job-a')
    const next = await stream(1, 1)
    next.call.write(success(next.requests[0], 4))
    expect(await again).to.include({ revision: 4 })
  })

  it('fails the appends under way even if the server ends the stream normally', async () => {
    const asked = append('job-a')
    const { call } = await stream(0, 1)
    call.end()
    expect(String(await failureOf(asked))).to.contain('ended the stream')
  })

  it('is given up after a deadline without any answer: all appends fail at once, even those in the queue', async () => {
    using brief = new BatchAppend(client, { credentials, deadlineMs: briefMs })
    const asked = Array.from({ length: mostOutstanding + 20 }, (_, n) => appendOver(brief, `job-${n}`))
    const { call, requests } = await stream(0, mostOutstanding)
    const cancelled = new Promise((resolve) => call.on('cancelled', resolve))
    const failures = new Set((await Promise.all(asked.map(failureOf))).map(String))
    expect([...failures]).to.deep.equal([`Error: the event store did not answer an append for ${briefMs} ms`])
    await cancelled
    expect(requests, 'no more than those').to.have.length(mostOutstanding)
    const again = appendOver(brief, 'job-a')
    const next = await stream(1, 1)
    next.call.write(success(next.requests[0], 0))
    expect(await again).to.include({ revision: 0 })
  }).retries(2)

  it('survives an append without an answer while others are answered: only that one fails', async () => {
    using brief = new BatchAppend(client, { credentials, deadlineMs: briefMs })
    const lost = appendOver(brief, 'job-lost')
    const { call, requests } = await stream(0, 1)
    let isLost = false
    const failed = failureOf(lost).then((error) => {
      isLost = true
      return error
    })
    let answered = 0
    while (!isLost) {
      const one = appendOver(brief, 'job-a')
      await stream(0, ++answered + 1)
      call.write(success(requests[answered], answered))
      expect(await one).to.include({ revision: answered })
    }
    expect(String(await failed)).to.contain('did not answer')
    // Too late: its caller has given up.
    call.write(success(requests[0], 99))
    const last = appendOver(brief, 'job-a')
    await stream(0, answered + 2)
    call.write(success(requests[answered + 1], 7))
    expect(await last).to.include({ revision: 7 })
    expect(server.opened).to.have.length(1)
  }).retries(2)

  it('bounds the appends under way; the next is sent when one is answered, with its full deadline', async () => {
    const wholeMs = 2000
    using patient = new BatchAppend(client, { credentials, deadlineMs: wholeMs })
    const proposed = proposedOf('job-a', 'no-stream', [])
    const asked = Array.from({ length: mostOutstanding + 1 }, () => patient.append(proposed))
    const { call, requests } = await stream(0, mostOutstanding)
    const from = performance.now()
    const passed = (share: number) => () => performance.now() - from > wholeMs * share
    await until('half of the time of the first is over', passed(0.5), soon)
    expect(requests).to.have.length(mostOutstanding)
    call.write(success(requests[0], 0))
    await stream(0, mostOutstanding + 1)
    for (const request of requests.slice(1, -1)) call.write(success(request, 0))
    await Promise.all(asked.slice(0, -1))
    await until('the last has waited longer than the deadline', passed(1.05), soon)
    call.write(success(requests.at(-1), 3))
    expect(await asked.at(-1)).to.include({ revision: 3 })
  }).retries(2)

  it('fails in time if no server is found', async () => {
    const searching = { getGRPCClient: () => new Promise(() => undefined) } as unknown as EventStoreDBClient
    using lost = new BatchAppend(searching, { credentials, deadlineMs: 20 })
    const asked = () => failureOf(lost.append(proposedOf('job-a', 'no-stream', [])))
    expect(String(await asked())).to.contain('did not answer')
    expect(String(await asked()), 'the next as well').to.contain('did not answer')
  })

  it('gives the refusals of single appends to their callers, and continues', async () => {
    const refusals: [details: string, type: string | undefined, answered: boolean, text?: string][] = [
      ['event_store.client.StreamDeleted', ErrorType.STREAM_DELETED, true],
      ['event_store.client.WrongExpectedVersion', ErrorType.WRONG_EXPECTED_VERSION, true],
      ['event_store.client.MaximumAppendSizeExceeded', ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED, true],
      ['event_store.client.AccessDenied', ErrorType.ACCESS_DENIED, false],
      ['event_store.client.Timeout', ErrorType.DEADLINE_EXCEEDED, false],
      ['google.protobuf.Empty', ErrorType.UNKNOWN, false, 'Server Is Not Ready'],
      ['', ErrorType.UNKNOWN, false, 'Server Is Busy'],
    ]
    const asked = refusals.map((_, n) => append(`job-${n}`))
    const { call, requests } = await stream(0, refusals.length)
    for (const [n, [details, , , text]] of refusals.entries()) call.write(refusal(requests[n], details, text))
    const errors = await Promise.all(asked.map(failureOf))
    expect(errors.map((error) => [typeOf(error), isAnswered(error)])).to.deep.equal(
      refusals.map(([, type, answered]) => [type, answered]),
    )
    expect(errors[3]).to.be.instanceOf(AccessDeniedError)
    expect(String(errors[5])).to.contain('Server Is Not Ready')
    const after = append('job-a')
    await stream(0, refusals.length + 1)
    call.write(success(requests.at(-1), 1))
    expect(await after).to.include({ revision: 1 })
  })

  it('gives position 0 for a repeat of deleted events', async () => {
    const asked = append('job-a')
    const { call, requests } = await stream(0, 1)
    const gone = new streams.BatchAppendResp.Success().setCurrentRevision('2').setNoPosition(new emptyPb.Empty())
    call.write(answerTo(requests[0]).setSuccess(gone))
    expect(await asked).to.deep.equal({ revision: 2, position: 0 })
  })

  it('goes to the leader that a node names', async () => {
    using leader = await scriptedServer()
    const asked = append('job-a')
    const { call } = await stream(0, 1)
    const metadata = new Metadata()
    metadata.set('exception', 'not-leader')
    metadata.set('leader-endpoint-host', '127.0.0.1')
    metadata.set('leader-endpoint-port', String(leader.port))
    call.emit('error', Object.assign(new Error('not leader'), { code: status.NOT_FOUND, details: '', metadata }))
    expect(await failureOf(asked)).to.be.instanceOf(NotLeaderError)
    const again = append('job-a')
    const found = await until('it is asked', () => leader.opened[0]?.requests[0] && leader.opened[0], soon)
    found.call.write(success(found.requests[0], 0))
    expect(await again).to.include({ revision: 0 })
  })

  it('ends with its owner, even before it is open', async () => {
    const asked = append('job-a')
    const { call } = await stream(0, 1)
    const cancelled = new Promise((resolve) => call.on('cancelled', resolve))
    appends[Symbol.dispose]()
    expect(String(await failureOf(asked))).to.contain('closed')
    await cancelled
    let calls = 0
    const found = Promise.withResolvers<object>()
    const inner = { getGRPCClient: () => found.promise, callArguments: () => [] }
    const early = new BatchAppend(inner as never, { credentials, deadlineMs })
    const never = early.append(proposedOf('job-b', 'no-stream', []))
    early[Symbol.dispose]()
    expect(String(await failureOf(never))).to.contain('closed')
    found.resolve({ getChannel: () => calls++ })
    await new Promise(setImmediate)
    expect(calls, 'streams opened afterwards').to.equal(0)
  })
})
