import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { LocalEngines } from './local-engines.ts'

const root = process.cwd()

/** The stand-in, with the name and the options of the real server. */
const MONGOD = `${root}/test/doubles/mongodb/mongod`

describeOn('mongodb', () => {
  describe('a real MongoDB of ops/engines', function () {
    this.timeout(180_000)

    it('is a replica set of one member, which is initiated once, and keeps its data', async () => {
      await using folder = await temporaryDirectory()
      const local = new LocalEngines({ root, folder: folder.path, detached: false, env: { ...process.env, MONGOD } })
      const [engine] = await local.up('mongodb')
      try {
        expect(local.labelOf('mongodb')).to.equal(`views: mongod 7.0.0 at ${MONGOD}`)
        expect(local.urlOf('mongodb')).to.contain('replicaSet=')
        await using client = new MongoClient(local.urlOf('mongodb'))
        const kept = client.db('tests').collection('kept')
        await kept.insertOne({ n: 1 })
        await engine?.kill()
        await engine?.start()
        expect(await kept.countDocuments()).to.equal(1)
      } finally {
        await local.down({ wipe: true })
      }
    })
  })
})
