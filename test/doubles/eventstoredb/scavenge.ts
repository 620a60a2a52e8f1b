import { createRequire } from 'node:module'
import { EventStoreDBClient } from '@eventstore/db-client'
import type { OperationsClient } from '@eventstore/db-client/generated/operations_grpc_pb.js'
import operations from '@eventstore/db-client/generated/operations_pb.js'
import { ChannelCredentials, Metadata } from '@grpc/grpc-js'
import { until } from '#test/doubles/service/until.ts'

const { OperationsClient: Operations } = createRequire(import.meta.url)(
  '@eventstore/db-client/generated/operations_grpc_pb.js',
) as { OperationsClient: typeof OperationsClient }

/** Scavenges a server without TLS, real or double, and waits for the end. */
export async function scavenge(url: string): Promise<void> {
  const [, address = ''] = /\/\/(?:[^@]*@)?([^/?]+)/.exec(url) ?? []
  const operator = new Operations(address, ChannelCredentials.createInsecure())
  const request = new operations.StartScavengeReq()
  const options = new operations.StartScavengeReq.Options()
  options.setThreadCount(1)
  request.setOptions(options)
  const id = await new Promise<string>((resolve, reject) => {
    operator.startScavenge(request, new Metadata(), (error, answer) =>
      error ? reject(error) : resolve(answer.getScavengeId()),
    )
  })
  operator.close()
  const client = EventStoreDBClient.connectionString(url)
  const ends = async (): Promise<boolean> => {
    const events = await Array.fromAsync(client.readStream(`$scavenges-${id}`))
    return events.some(({ event }) => event?.type === '$scavengeCompleted')
  }
  await until('the scavenge has ended', () => ends().catch(() => false), { everyMs: 20 })
  await client.dispose()
}
