import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { describeIds } from '#packages/ports/ids.contract.ts'
import { systemIds } from './ids.ts'

describeIds('the system', systemIds)

describe('UUIDs of the system', () => {
  it('sort by creation time, and end in random bits, from which spans and samples are taken', async () => {
    const made: string[] = []
    for (let n = 0; n < 10; n++) {
      made.push(systemIds.uuid())
      const at = Date.now()
      while (Date.now() === at) await sleep(1)
    }
    expect([...made].sort()).to.deep.equal(made)
    expect(new Set(made.map((id) => id.slice(19))).size).to.equal(10)
  })
})
