/**
 * `npm run test:crash [-- SEED]`: five times what `npm test` does once, kill -9 at ten moments under load, each round
 * with a seed of its own. Then kill -9 on a long history with many open jobs. The last line is `N passed, N failed`,
 * counted in rounds; exits 1 if one failed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { restartsWell } from './restart.ts'

const ROUNDS = 5
const first = Number(process.argv[2] ?? Date.now() % 1_000_000)

async function passes(seed: number): Promise<boolean> {
  const script = ['--import', 'tsx/esm', 'test/main.ts', 'test/scenarios/kills']
  const child = spawn(process.execPath, script, { stdio: 'inherit', env: { ...process.env, SEED: String(seed) } })
  const [code] = await once(child, 'exit')
  return code === 0
}

const outcomes: boolean[] = []
for (let round = 0; round < ROUNDS; round++) {
  console.log(`\nTen kills, SEED=${first + round}`)
  outcomes.push(await passes(first + round))
}
console.log('\nA restart with 1,000,000 events and 10,000 open jobs')
outcomes.push(await restartsWell())
const passed = outcomes.filter((passed) => passed).length
console.log(`\n${passed} passed, ${outcomes.length - passed} failed`)
process.exitCode = passed === outcomes.length ? 0 : 1
