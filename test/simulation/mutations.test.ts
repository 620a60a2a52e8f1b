import { expect } from 'chai'
import { mutations } from './mutations.ts'
import { simulate } from './simulate.ts'

const WITHIN = 500

describe('the simulation can fail', function () {
  this.timeout(90_000)

  for (const [rule, mutation] of Object.entries(mutations))
    it(`without ${rule}`, async () => {
      for (let seed = 1; seed <= WITHIN; seed++) {
        const { violations } = await simulate(seed, { mutation })
        if (violations.length === 0) continue
        // What went red, it went red for: the same seed is green with the rule.
        expect((await simulate(seed)).violations).to.deep.equal([])
        return
      }
      expect.fail(`${WITHIN} seeds saw nothing`)
    })
})
