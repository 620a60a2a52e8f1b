import { expect } from 'chai'
import { keptSeeds } from './kept-seeds.ts'
import { mutations } from './mutations.ts'
import { outcomeOf } from './outcomes.ts'
import { simulate } from './simulate.ts'

/** The kept seeds, then the first ones. */
const seeds = [...keptSeeds.map(({ seed }) => seed), ...Array.from({ length: 500 }, (_, n) => n + 1)]

describe('the simulation can fail', function () {
  this.timeout(90_000)

  for (const [rule, mutation] of Object.entries(mutations))
    it(`without ${rule}`, async () => {
      for (const seed of seeds) {
        const { violations } = await simulate(seed, { mutation })
        if (violations.length === 0) continue
        // The missing rule is the reason: with it the same seed passes.
        expect((await outcomeOf(seed)).violations).to.deep.equal([])
        return
      }
      expect.fail(`${seeds.length} seeds saw nothing`)
    })
})
