import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect } from 'chai'

const log = new URL('./log.ts', import.meta.url).href

/** Logs a line after its reader has gone, and ends. */
const code = `import { createLog, flushLog } from ${JSON.stringify(log)}
  const log = createLog('test', 'info')
  console.log('begun')
  await new Promise((resolve) => process.stdin.once('end', resolve).resume())
  log.info('nobody reads this')
  await flushLog(log)`

describe('a process whose log nobody reads any more', () => {
  it('still ends', async () => {
    const words = ['--import', 'tsx', '--input-type=module', '-e', code]
    const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'pipe'] })
    const exited = once(child, 'exit')
    await once(createInterface({ input: child.stdout }), 'line')
    child.stderr.destroy()
    child.stdin.end()
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
    expect(await exited).to.deep.equal([0, null])
    clearTimeout(late)
  }).timeout(20_000)
})
