/**
 * `npm run simulate -- [--seeds N] [--from S] [--trace]`: runs N seeds from S on. The last line is `N passed, N
 * failed`. If one failed, it prints the seed and what happened in it, and exits 1.
 */
import { parseArgs } from 'node:util'
import { type Outcome, simulate } from './simulate.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false },
  },
})

/** Prints a failed run in full: runs the seed once more, with its trace. */
async function tell(outcome: Outcome): Promise<void> {
  const { trace } = await simulate(outcome.seed, { keepsTrace: true })
  console.log(`\nseed ${outcome.seed} failed:`)
  for (const violation of outcome.violations) console.log(`  ${violation}`)
  console.log(`\n${trace.join('\n')}\n`)
}

async function main(from: number, seeds: number): Promise<void> {
  const counts = new Map<string, number>()
  const failed: number[] = []
  let simulatedMs = 0
  let events = 0
  const startedAt = performance.now()
  for (let seed = from; seed < from + seeds; seed++) {
    const outcome = await simulate(seed, { keepsTrace: values.trace })
    simulatedMs += outcome.simulatedMs
    events += outcome.events
    for (const [kind, count] of [...outcome.faults, ...outcome.removals])
      counts.set(kind, (counts.get(kind) ?? 0) + count)
    if (values.trace) console.log(outcome.trace.join('\n'))
    if (outcome.violations.length === 0) continue
    failed.push(seed)
    if (failed.length === 1) await tell(outcome)
    else console.log(`seed ${seed} failed: ${outcome.violations[0]}`)
  }
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`${(simulatedMs / 3_600_000).toFixed(1)} simulated hours and ${events} events in ${seconds.toFixed(1)} s`)
  for (const [kind, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) console.log(`  ${kind}: ${count}`)
  if (failed.length > 0) console.log(`failed seeds: ${failed.join(', ')}`)
  console.log(`${seeds - failed.length} passed, ${failed.length} failed`)
  process.exitCode = failed.length > 0 ? 1 : 0
}

const [from, seeds] = [Number(values.from), Number(values.seeds)]
if (Number.isSafeInteger(from) && Number.isSafeInteger(seeds) && seeds > 0) await main(from, seeds)
else {
  console.error('--seeds and --from take whole numbers')
  process.exitCode = 1
}
