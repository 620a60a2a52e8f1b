import { expect } from 'chai'
import type { Ids } from './ids.ts'

const SAMPLES = 1000

/** The promises of Ids. */
export function describeIds(name: string, ids: Ids): void {
  describe(`${name} as Ids`, () => {
    it('gives UUIDs, never one twice', () => {
      const uuids = Array.from({ length: SAMPLES }, () => ids.uuid())
      for (const uuid of uuids) expect(uuid).to.match(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
      expect(new Set(uuids).size).to.equal(SAMPLES)
    })

    it('gives numbers from 0 to below 1, in both halves', () => {
      const numbers = Array.from({ length: SAMPLES }, () => ids.random())
      for (const number of numbers) expect(number).to.be.at.least(0).and.below(1)
      expect(numbers.some((number) => number < 0.5) && numbers.some((number) => number >= 0.5)).to.equal(true)
    })
  })
}
