/**
 * The black-box checks of the interface specification, if they are beside the project, on services in several processes.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { sharedFolder } from '#test/doubles/recordings.ts'
import { fewProcesses, openEngineRoom } from '#test/doubles/service/engine-room.ts'
import { leaveOut } from '#test/runner/left-out.ts'

const checks = join(sharedFolder, 'conformance/run.mjs')
/**
 * The groups that involve processes and engines, and need only one service. The other groups test the HTTP surface
 * alone, and embedded mode covers those; or they test what test/scenarios also tests here (extractions, jobs, kills,
 * stopping), and start more services. The checks give each start 60 s and each stop 10 s: too little for ten processes
 * on a busy machine, so there are four.
 */
const groups = 'transcript concurrency idempotency polling limits'
/** The checks stop the services that they started when they are asked to end. */
const LONGEST_MS = 900_000

describe('services in several processes', function () {
  this.timeout(LONGEST_MS + 60_000)

  const conforms = (): void => {
    it('conform to the specification', async () => {
      await using room = await openEngineRoom('start:distributed')
      const start = `npm run --silent start:distributed -- ${fewProcesses.join(' ')}`
      const env = { ...process.env, ...room.env, CONFORMANCE_START: start }
      const args = [checks, ...groups.split(' ')]
      const run = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: LONGEST_MS })
      const [said, failed, [code]] = await Promise.all([text(run.stdout), text(run.stderr), once(run, 'exit')])
      expect(code, `${said}${failed.slice(-4000)}`).to.equal(0)
      expect(said).to.match(/\d\d+ passed, 0 failed\n$/)
    })
  }
  if (existsSync(checks)) conforms()
  else leaveOut({ needs: 'conformance', why: 'the checks of the specification, in ../shared, are absent' }, conforms)
})
