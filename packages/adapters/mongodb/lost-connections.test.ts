import { expect } from 'chai'
import type { BSON } from 'mongodb'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { hello, startRefusingServer } from '#test/doubles/mongodb/refusing-server.ts'
import { type Loss, startResettingProxy } from '#test/doubles/mongodb/resetting-proxy.ts'
import { inReach, MongoConnection } from './connection.ts'

const REPLICA_SET = 'rs0'

/** A server that accepts every write, behind a proxy that cuts connections. */
async function startCutServer(isReplicaSet: boolean) {
  await using opening = new AsyncDisposableStack()
  let greeting: BSON.Document = {}
  const server = opening.use(
    await startRefusingServer((command) => {
      if (command.hello !== undefined || command.ismaster !== undefined) return hello(greeting)
      return { ok: 1, n: 1, nModified: 1 }
    }),
  )
  const proxy = opening.use(await startResettingProxy(() => server.port))
  const host = `127.0.0.1:${proxy.port}`
  const set = { setName: REPLICA_SET, hosts: [host], me: host, primary: host, logicalSessionTimeoutMinutes: 30 }
  if (isReplicaSet) greeting = set
  const url = `mongodb://${host}/video?${isReplicaSet ? `replicaSet=${REPLICA_SET}` : 'directConnection=true'}`
  const connection = opening.use(new MongoConnection({ url, selectionTimeoutMs: 1000 }))
  const open = opening.move()
  return { proxy, connection, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const sizes = { small: 100, large: 2_000_000 }
const losses: readonly Loss[] = ['reset', 'closed']

describe('a bulk write with a lost connection to MongoDB', () => {
  for (const isReplicaSet of [false, true])
    for (const [size, bytes] of Object.entries(sizes))
      for (const by of losses)
        it(`counts as unanswered: ${size}, ${by}, ${isReplicaSet ? 'a replica set' : 'a server alone'}`, async () => {
          await using setting = await startCutServer(isReplicaSet)
          const { proxy, connection } = setting
          const write = () => {
            const document = { text: 'x'.repeat(bytes) }
            return inReach(
              connection.db.collection('some').bulkWrite([{ insertOne: { document } }], { ordered: false }),
            )
          }
          await write()
          // On a replica set, the driver repeats a write once.
          proxy.cut({ connections: 100, afterBytes: bytes / 2, by })
          const outcome = await write().catch((thrown: unknown) => thrown)
          expect(outcome).to.be.instanceOf(UnreachableError)
          expect(proxy.cuts).to.be.at.least(1)
          proxy.cut({ connections: 0, afterBytes: 0, by })
          await write()
        })
})
