import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { type EngineHarness, engineHarness } from './engine.harness.ts'
import { speechWorkers } from './speech-workers.ts'

describe('a worker of speech that strangers’ sound has taken over', function () {
  this.timeout(30_000)
  let harness: EngineHarness
  before(async () => {
    harness = await engineHarness()
  })
  after(() => harness[Symbol.asyncDispose]())

  for (const [what, python, refused] of [
    ['opens no socket', 'socket.socket()', 'Operation not permitted'],
    ['writes no file', 'open(sys.argv[0] + ".out", "w").write("x" * 10000)', 'File too large'],
    ['has a bounded memory', 'bytearray(500_000_000)', 'MemoryError'],
    ['sees no environment of ours', 'os.environ["HOME"]', 'KeyError'],
  ] as const)
    it(what, async () => {
      const script = join(harness.directory, 'worker.py')
      const folder = new URL('.', import.meta.url).pathname
      const lines = [
        'import os, socket, sys',
        `sys.path.insert(0, ${JSON.stringify(folder)})`,
        'import confined_worker',
        'confined_worker.confine(int(sys.argv[1]))',
        `confined_worker.serve(lambda request: ${python})`,
      ]
      await writeFile(script, lines.join('\n'))
      const options = { ...harness.ports, script, maxMemoryBytes: 400 * 1024 * 1024, name: 'taken over' }
      await using workers = speechWorkers({ ...options, maxWorkers: 1 })
      const limits = { signal: new AbortController().signal, timeoutMs: 10_000, deadlineAt: Date.now() + 20_000 }
      expect(await failureOf(workers.request({}, limits))).to.include({ code: 'internal_error', transient: true })
      expect(harness.lines.at(-1)).to.contain(refused)
    })
})
