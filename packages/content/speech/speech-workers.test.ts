import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { type EngineHarness, engineHarness } from './engine.harness.ts'
import { speechWorkers } from './speech-workers.ts'

describe('a speech worker that hostile sound has taken over', () => {
  let harness: EngineHarness
  before(async () => {
    harness = await engineHarness()
  })
  after(() => harness[Symbol.asyncDispose]())

  /** A hostile worker, which runs this Python code at every request. @returns its path */
  async function takenOver(python: string): Promise<string> {
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
    return script
  }

  for (const [what, python, refused] of [
    ['opens no socket', 'socket.socket()', 'Operation not permitted'],
    ['writes no file', 'open(sys.argv[0] + ".out", "w").write("x" * 10000)', 'File too large'],
    ['has a bounded memory', 'bytearray(500_000_000)', 'MemoryError'],
    ['sees no environment of ours', 'os.environ["HOME"]', 'KeyError'],
  ] as const)
    it(what, async () => {
      const script = await takenOver(python)
      const options = { ...harness.ports, script, maxMemoryBytes: 400 * 1024 * 1024, name: 'taken over' }
      await using workers = speechWorkers({ ...options, maxWorkers: 1 })
      const limits = { signal: new AbortController().signal, timeoutMs: 10_000, deadlineAt: Date.now() + 20_000 }
      expect(await failureOf(workers.request({}, limits))).to.include({ code: 'internal_error', transient: true })
      expect(harness.lines.at(-1)).to.contain(refused)
    })

  it('has a bounded processor time, even if no parent limits it', async () => {
    const script = await takenOver('exec("while True: pass")')
    const worker = spawn(harness.ports.python, ['-EsB', script, String(400 * 1024 * 1024)], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    worker.stdin?.write('{"id": 1, "cpuSeconds": 0}\n')
    const [, signal] = await once(worker, 'exit')
    expect(signal).to.equal('SIGXCPU')
  })
})
