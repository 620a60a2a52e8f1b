import { expect } from 'chai'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { allShards, prefixesOf, SHARDS, shardOf, withShardOf } from './shards.ts'

describe('shards', () => {
  it('have four first bytes each', () => {
    const shards = Array.from({ length: 256 }, (_, byte) => shardOf(`${byte.toString(16).padStart(2, '0')}-`))
    expect(shards).to.deep.equal(Array.from({ length: 256 }, (_, byte) => byte >> 2))
  })

  it('have the ledger of an organization and all its jobs', () => {
    for (let n = 0; n < 200; n++) {
      const orgId = systemIds.uuid()
      const jobId = withShardOf(orgId, systemIds.uuid())
      expect(jobId).to.match(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
      expect(shardOf(jobId)).to.equal(shardOf(orgId))
    }
  })

  it('are found by what the names of their streams begin with, each stream by one shard', () => {
    for (let n = 0; n < 200; n++) {
      const id = systemIds.uuid()
      for (const stream of [`credits-${id}`, `job-${id}`]) {
        const found = [...allShards].filter((shard) => prefixesOf(new Set([shard])).some((it) => stream.startsWith(it)))
        expect(found).to.deep.equal([shardOf(id)])
      }
    }
  })

  it('are all followed by two prefixes, which leave no id out', () => {
    expect(prefixesOf(allShards)).to.deep.equal(['credits-', 'job-'])
    expect(prefixesOf(new Set())).to.deep.equal([])
  })

  it('spread a thousand organizations so that each of three owners has its third, give or take a quarter', () => {
    const owned = [0, 0, 0]
    for (let n = 0; n < 1000; n++) {
      const owner = shardOf(systemIds.uuid()) % owned.length
      owned[owner] = (owned[owner] ?? 0) + 1
    }
    for (const count of owned) expect(count).to.be.within(250, 417)
  })

  it('have a place for any id', () => {
    expect(shardOf('organization')).to.equal(0)
    expect(withShardOf('organization', '12ab')).to.equal('12ab')
    expect(SHARDS).to.equal(64)
  })
})
