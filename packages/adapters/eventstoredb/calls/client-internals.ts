import type { Credentials, EventStoreDBClient } from '@eventstore/db-client'
import type features from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import type shared from '@eventstore/db-client/generated/shared_pb.js'
import type services from '@eventstore/db-client/generated/streams_grpc_pb.js'

export type Stubs = InstanceType<typeof services.StreamsClient>

/** Metadata and options of a call, as the client makes them. */
export type Carried = Required<Parameters<Stubs['batchAppend']>>

/** Without metadata, because the call needs no account: the generated types lack that form. */
export type FeatureStubs = {
  getSupportedMethods(
    request: InstanceType<typeof shared.Empty>,
    options: { deadline: number },
    callback: (error: { code: number } | null, answer?: { getEventStoreServerVersion(): string }) => void,
  ): void
}

/** Private members of the client. */
export type ClientInternals = {
  /** Its connection, which all its stubs share. */
  getChannel(): Promise<{ close(): void; getConnectivityState(connect: boolean): number }>
  /** Its stubs. Waits until it has found a server. */
  getGRPCClient(type: typeof services.StreamsClient, name: string): Promise<Stubs>
  getGRPCClient(type: typeof features.ServerFeaturesClient, name: string): Promise<FeatureStubs>
  /** What its calls carry. */
  callArguments(options: { credentials?: Credentials; requiresLeader?: boolean }, more: { deadline: number }): Carried
  /** After a failed call: it looks for a leader, or makes a new connection. */
  handleError(stubs: Stubs, error: unknown): Promise<void>
}

export const internalsOf = (client: EventStoreDBClient): ClientInternals => client as unknown as ClientInternals

/** gRPC's number for a connection that is ready. */
const readyState = 2

/** Whether the client has a connection that is up; false also where it finds no server. */
export async function isReady(client: EventStoreDBClient): Promise<boolean> {
  const channel = await internalsOf(client)
    .getChannel()
    .catch(() => undefined)
  return channel?.getConnectivityState(false) === readyState
}

/** Closes the connection of a client. Not awaited: a client that has not found its server may search for long. */
export function closeChannel(client: EventStoreDBClient): void {
  internalsOf(client)
    .getChannel()
    .then(
      (channel) => channel.close(),
      () => undefined,
    )
}
