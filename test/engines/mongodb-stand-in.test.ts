import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { startOwnEngines } from '#test/doubles/engines/own-engines.ts'

const WRITERS = 4
const KILLED_AFTER = 60

describe('the stand-in for MongoDB of ops/engines', function () {
  this.timeout(120_000)

  it('loses nothing that it has answered when it is killed', async () => {
    await using own = await startOwnEngines('mongodb')
    const [engine] = own.engines
    await using client = new MongoClient(own.url, { serverSelectionTimeoutMS: 60_000 })
    const collection = client.db('kept').collection<{ _id: number }>('numbers')
    const answered: number[] = []
    let killed: Promise<void> | undefined
    const write = async (first: number): Promise<void> => {
      for (let _id = first; !killed; _id += WRITERS) {
        await collection.insertOne({ _id })
        answered.push(_id)
        if (answered.length >= KILLED_AFTER) killed ??= engine?.kill()
      }
    }
    // Writes that are under way when it dies fail.
    await Promise.allSettled(Array.from({ length: WRITERS }, (_, n) => write(n)))
    await killed
    await engine?.start()
    const kept = new Set((await collection.find().toArray()).map(({ _id }) => _id))
    expect(answered).to.have.length.of.at.least(KILLED_AFTER)
    expect(answered.filter((_id) => !kept.has(_id))).to.deep.equal([])
  })
})
