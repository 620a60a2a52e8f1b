import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import operationServices from '@eventstore/db-client/generated/operations_grpc_pb.js'
import operations from '@eventstore/db-client/generated/operations_pb.js'
import featureServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import streamServices from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { type Metadata, Server, ServerCredentials, type UntypedServiceImplementation } from '@grpc/grpc-js'
import { Access, type Users } from './access.ts'
import { appendHandler, batchAppendHandler, deleteHandler, tombstoneHandler } from './append-service.ts'
import { Appends } from './appends.ts'
import { EventLog } from './event-log.ts'
import { readHandler } from './read-service.ts'

export type EventStoreDouble = AsyncDisposable & {
  /** The URL for clients. */
  url: string
  port: number
  /**
   * How often each method was called. `subscribed`: open subscriptions. `delivered`: events that were sent to
   * subscriptions.
   */
  calls: Readonly<Calls>
}

type Calls = { append: number; batchAppend: number; read: number; subscribed: number; delivered: number }

const longestMessageBytes = 17 * 1_048_576
/** The limit of open subscriptions: the next one waits in silence until another ends. */
const streamsOfOneConnection = 100

export type EventStoreDoubleOptions = {
  path: string
  /** 0 takes a free port. */
  port?: number
  /** A key and its certificate, in PEM. Makes the server use TLS. */
  tls?: { key: string; cert: string }
  /** Who may connect. Clients send their names only over TLS. Unset: everybody. */
  users?: Users
  /** The version that it reports. */
  version?: string
  /**
   * The checkpoint at the end of history for a filtered subscription that began at the start and had no match. 24.2.0
   * to 24.10.4 send 18446744073709551615; other versions send none.
   */
  emptyCheckpoint?: string
}

/** Serves a log file as EventStoreDB does, on a loopback port. README.md lists what it does not do. */
export async function startEventStoreDouble({
  path,
  port = 0,
  tls,
  users,
  version = '23.10.5',
  emptyCheckpoint,
}: EventStoreDoubleOptions): Promise<EventStoreDouble> {
  const log = new EventLog(path)
  const server = new Server({
    'grpc.max_receive_message_length': longestMessageBytes,
    'grpc.max_concurrent_streams': streamsOfOneConnection,
  })
  const access = new Access(log, users)
  const appends = new Appends(log)
  const calls: Calls = { append: 0, batchAppend: 0, read: 0, subscribed: 0, delivered: 0 }
  const append = appendHandler(appends)
  const batchAppend = batchAppendHandler(appends, access)
  const implementation = {
    read: readHandler(log, access, calls, emptyCheckpoint),
    append: admitted(access, (...call: Parameters<typeof append>) => {
      calls.append++
      append(...call)
    }),
    batchAppend(...call: Parameters<typeof batchAppend>) {
      calls.batchAppend++
      batchAppend(...call)
    },
    delete: admitted(access, deleteHandler(log)),
    tombstone: admitted(access, tombstoneHandler(log)),
  }
  server.addService(streamServices.StreamsService, implementation as unknown as UntypedServiceImplementation)
  server.addService(operationServices.OperationsService, {
    startScavenge: scavengeHandler(log, access),
  } as unknown as UntypedServiceImplementation)
  server.addService(featureServices.ServerFeaturesService, {
    getSupportedMethods: (_: unknown, callback: (error: null, answer: unknown) => void) =>
      callback(null, supported(version)),
  })
  let bound = 0
  server.addService(gossipServices.GossipService, {
    read: (_: unknown, callback: (error: null, answer: unknown) => void) => callback(null, oneMember(bound)),
  })
  bound = await new Promise<number>((resolve, reject) => {
    const answer = (error: Error | null, taken: number): void => (error ? reject(error) : resolve(taken))
    const credentials = tls
      ? ServerCredentials.createSsl(null, [{ private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) }])
      : ServerCredentials.createInsecure()
    server.bindAsync(`127.0.0.1:${port}`, credentials, answer)
  })
  return {
    url: `esdb://127.0.0.1:${bound}?tls=${tls !== undefined}`,
    port: bound,
    calls,
    async [Symbol.asyncDispose]() {
      server.forceShutdown()
      // Transactions of appends that are under way end first.
      await new Promise(setImmediate)
      log[Symbol.dispose]()
    },
  }
}

type Answer<T> = (error: Error | null, answer?: T) => void

/** A handler of a unary call that first checks whether the caller may make it. */
function admitted<Call extends { metadata: Metadata }, T extends Answer<never>>(
  access: Access,
  handle: (call: Call, answer: T) => void,
): (call: Call, answer: T) => void {
  return (call, answer) => {
    try {
      access.assertKnown(call.metadata)
    } catch (error) {
      return answer(error as Error)
    }
    handle(call, answer)
  }
}

/** The real server answers when the scavenge has begun; this handler answers when it has ended. */
const scavengeHandler =
  (log: EventLog, access: Access) =>
  ({ metadata }: { metadata: Metadata }, answer: Answer<InstanceType<typeof operations.ScavengeResp>>): void => {
    try {
      access.assertMayOperate(metadata)
      const done = new operations.ScavengeResp()
      log.transaction(() => {
        done.setScavengeId(log.scavenge())
      })
      done.setScavengeResult(operations.ScavengeResp.ScavengeResult.STARTED)
      answer(null, done)
    } catch (error) {
      answer(error as Error)
    }
  }

function supported(version: string): InstanceType<typeof features.SupportedMethods> {
  const answer = new features.SupportedMethods()
  answer.setEventStoreServerVersion(version)
  answer.setMethodsList(
    Object.values(streamServices.StreamsService).map(({ path }) => {
      const [, service = '', name = ''] = String(path).split('/')
      const method = new features.SupportedMethod()
      method.setServiceName(service.toLowerCase())
      method.setMethodName(name.toLowerCase())
      return method
    }),
  )
  return answer
}

function oneMember(port: number): InstanceType<typeof gossip.ClusterInfo> {
  const id = new shared.UUID()
  id.setString('00000000-0000-4000-8000-000000000001')
  const endPoint = new gossip.EndPoint()
  endPoint.setAddress('127.0.0.1')
  endPoint.setPort(port)
  const member = new gossip.MemberInfo()
  member.setInstanceId(id)
  member.setTimeStamp(String(Date.now()))
  member.setState(gossip.MemberInfo.VNodeState.LEADER)
  member.setIsAlive(true)
  member.setHttpEndPoint(endPoint)
  const answer = new gossip.ClusterInfo()
  answer.setMembersList([member])
  return answer
}
