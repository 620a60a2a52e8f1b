import { queryObjects } from 'node:v8'
import { expect } from 'chai'
import { until } from '#test/doubles/service/until.ts'
import { type Fault, modelFaults, ownerFaults } from './faults/faults.ts'
import { type Removal, removalKinds } from './invariants/removals.ts'
import { FORMAT, keptFormat, keptSeeds } from './kept-seeds.ts'
import { outcomeOf } from './outcomes.ts'
import { type Outcome, simulate } from './simulate.ts'
import { World } from './world.ts'

const SEEDS = 100
const PER_TEST = 50

/** The report of a failed run: its command and violations. */
const complaint = ({ seed, violations }: Outcome): string =>
  `npm run simulate -- --seeds 1 --from ${seed}\n  ${violations.join('\n  ')}`

async function failuresOf(from: number, count: number): Promise<string[]> {
  const failures: string[] = []
  for (let seed = from; seed < from + count; seed++) {
    const outcome = await outcomeOf(seed)
    if (outcome.violations.length > 0) failures.push(complaint(outcome))
  }
  return failures
}

describe('the simulated service', function () {
  // Alone, each test takes some seconds. No result depends on real time.
  this.timeout(300_000)

  it('keeps its invariants in every seed that once broke one', async () => {
    expect(keptFormat, 'seeds.json was kept under another format: find its seeds again').to.equal(FORMAT)
    for (const { seed, was } of keptSeeds) {
      const outcome = await outcomeOf(seed)
      expect(outcome.violations, `${was}: ${complaint(outcome)}`).to.deep.equal([])
    }
  })

  it('does something else in every seed, and leaves nothing of a run behind', async () => {
    const hashes = new Set<string>()
    for (let seed = 1; seed <= 20; seed++) hashes.add((await outcomeOf(seed)).hash)
    expect(hashes.size).to.equal(20)
    // Otherwise a long simulation would need more and more memory. The last run may end a moment later.
    await until('no world is in memory', () => queryObjects(World, { format: 'count' }) === 0)
  })

  it('does the same whenever a seed is run', async () => {
    for (const seed of [3, 15, 32, 99, 136, 275]) {
      const [one, other] = [await outcomeOf(seed), await simulate(seed, { keepsTrace: true })]
      expect(other.hash, `seed ${seed}`).to.equal(one.hash)
      expect(other.events).to.equal(one.events)
    }
  })

  it('meets every fault of a model and of owners, every kind of removal, and repeats of requests for forgotten jobs', async () => {
    const missing = new Set<Fault | Removal>([...modelFaults, ...removalKinds, ...ownerFaults])
    for (let seed = 1; missing.size > 0 && seed <= 300; seed++) {
      const { faults, removals } = await outcomeOf(seed)
      for (const met of [...faults.keys(), ...removals.keys()]) missing.delete(met)
    }
    expect([...missing]).to.deep.equal([])
  })

  for (let from = 1; from <= SEEDS; from += PER_TEST)
    it(`keeps its invariants in the seeds ${from} to ${from + PER_TEST - 1}`, async () => {
      expect((await failuresOf(from, PER_TEST)).join('\n')).to.equal('')
    })
})
