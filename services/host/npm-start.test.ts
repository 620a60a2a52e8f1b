import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { machineEnvironment } from '#test/doubles/machine-environment.ts'
import { endProcess, isAlive, processTree } from '#test/doubles/service/process-tree.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'

const project = fileURLToPath(new URL('../../', import.meta.url))

describe('npm start', function () {
  this.timeout(300_000)

  // Sends the signal to npm alone, like a process manager, a container, or a person in another terminal.
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    it(`ends the service in order when npm gets ${signal}`, async () => {
      await using directory = await temporaryDirectory()
      const env = { ...machineEnvironment(), DATA_DIR: directory.path, PORT: '0', LLM_API_KY: 'hidden' }
      const npm = spawn('npm', ['start', '--', '--sandbox'], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
      const exited = once(npm, 'exit')
      let printed = ''
      for (const output of [npm.stdout, npm.stderr]) output.setEncoding('utf8').on('data', (text) => (printed += text))
      const closed = Promise.all([once(npm.stdout, 'close'), once(npm.stderr, 'close')])
      await until('the service serves', () => /base URL\s+http/.test(printed))
      const tree = processTree(npm.pid ?? 0)
      try {
        npm.kill(signal)
        await exited
        await until('every process has ended', () => !tree.some(isAlive))
        await closed
        expect(printed).to.contain('"msg":"stopping"')
        expect(printed).to.contain('LLM_API_KY is not read: is LLM_API_KEY meant?').and.not.contain('hidden')
        // An orderly end removes the note of the running service.
        expect(globSync('**/service.json', { cwd: directory.path })).to.deep.equal([])
      } finally {
        for (const one of tree) endProcess(one)
        for (const output of [npm.stdout, npm.stderr]) output.destroy()
      }
    })
})
