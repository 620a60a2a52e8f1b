import type { Credentials, EventStoreDBClient } from '@eventstore/db-client'
import type services from '@eventstore/db-client/generated/streams_grpc_pb.js'

export type Stubs = InstanceType<typeof services.StreamsClient>

/** Metadata and options of a call, as the client makes them. */
export type Carried = Required<Parameters<Stubs['batchAppend']>>

/** Private members of the client. */
export type ClientInternals = {
  /** Its connection, which all its stubs share. */
  getChannel(): Promise<{ close(): void; getConnectivityState(connect: boolean): number }>
  /** Its stubs. Waits until it has found a server. */
  getGRPCClient(type: typeof services.StreamsClient, name: string): Promise<Stubs>
  /** What its calls carry. */
  callArguments(options: { credentials?: Credentials; requiresLeader?: boolean }, more: { deadline: number }): Carried
  /** After a failed call: it looks for a leader, or makes a new connection. */
  handleError(stubs: Stubs, error: unknown): Promise<void>
}

export const internalsOf = (client: EventStoreDBClient): ClientInternals => client as unknown as ClientInternals
