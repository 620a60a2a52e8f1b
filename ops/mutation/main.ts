/**
 * `npm run test:mutation`: makes small changes to the domain and the orchestrator, one at a time, and counts how many
 * their unit tests notice. Takes about ten minutes. Exits 1 below 85 %.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const stryker = at('../../node_modules/@stryker-mutator/core/bin/stryker.js')
const child = spawn(process.execPath, [stryker, 'run', at('./stryker.json'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, NODE_OPTIONS: `--import=${at('./mocha-12.mjs')}` },
})
const [code] = await once(child, 'exit')
process.exitCode = code ?? 1
