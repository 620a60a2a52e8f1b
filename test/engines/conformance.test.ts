/** The black-box checks of the interface specification, where they stand beside the project, on a process for each service. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { openEngineRoom } from '#test/doubles/service/engine-room.ts'

const checks = '../shared/conformance/run.mjs'
/** They end the services that they have started when they are told to end. */
const LONGEST_MS = 600_000

describe('a process for each service', function () {
  this.timeout(LONGEST_MS + 60_000)

  if (!existsSync(checks)) it.skip('conforms to the specification: ../shared is absent')
  else
    it('conforms to the specification', async () => {
      await using room = await openEngineRoom('start:distributed')
      const env = { ...process.env, ...room.env, CONFORMANCE_START: 'npm run --silent start:distributed' }
      const run = spawn(process.execPath, [checks], { env, stdio: ['ignore', 'pipe', 'inherit'], timeout: LONGEST_MS })
      const [said, [code]] = await Promise.all([text(run.stdout), once(run, 'exit')])
      expect(code, said).to.equal(0)
      expect(said).to.match(/\d\d\d passed, 0 failed\n$/)
    })
})
