import type { EventStoreDBClient } from '@eventstore/db-client'
import services from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import { internalsOf } from './client-internals.ts'
import { refused } from './refusals.ts'

/** gRPC's number for a method that a server does not have. */
const unimplemented = 12

/**
 * Asks the server for its version. One without the method is older than 21.10 and says nothing.
 * @throws RefusedError the version cannot be followed @throws Error no answer in time
 */
export async function assertVersion(client: EventStoreDBClient, withinMs: number): Promise<void> {
  const inner = internalsOf(client)
  const stubs = await inner.getGRPCClient(services.ServerFeaturesClient, 'getSupportedMethods')
  const version = await new Promise<string>((resolve, reject) => {
    stubs.getSupportedMethods(new shared.Empty(), { deadline: Date.now() + withinMs }, (error, answer) => {
      if (error && error.code !== unimplemented) reject(error)
      else resolve(answer?.getEventStoreServerVersion() ?? '')
    })
  })
  const advice = 'take EventStoreDB 23.10, or 24.10.5 or later'
  if (isRefused(version))
    throw refused(`it is EventStoreDB ${version}, whose feed cannot be followed; ${advice}`, undefined)
}

/**
 * 24.2.0 to 24.10.4 end the history of a filtered subscription without a match by a checkpoint of 2^64 - 1, and send no
 * other from then on.
 */
export function isRefused(version: string): boolean {
  const [major, minor, patch] = (/^(\d+)\.(\d+)(?:\.(\d+))?/.exec(version) ?? [])
    .slice(1)
    .map((part) => Number(part ?? 0))
  if (major !== 24 || minor === undefined || patch === undefined) return false
  return minor >= 2 && (minor < 10 || (minor === 10 && patch < 5))
}
