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

describe('a process without a reader of its log', () => {
  it('still ends', async () => {
    const words = ['--import', 'tsx/esm', '--input-type=module', '-e', code]
    const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'pipe'] })
    const exited = once(child, 'exit')
    await once(createInterface({ input: child.stdout }), 'line')
    child.stderr.destroy()
    child.stdin.end()
    const late = setTimeout(() => child.kill('SIGKILL'), 40_000)
    expect(await exited).to.deep.equal([0, null])
    clearTimeout(late)
  })
})

/** @param end how the process ends, after logging this many lines */
async function linesOf(count: number, end: string): Promise<number[]> {
  const code = `import { createLog, flushLog } from ${JSON.stringify(log)}
    const log = createLog('test', 'info')
    for (let n = 0; n < ${count}; n++) log.info({ n }, 'one of many')
    ${end}`
  const child = spawn(process.execPath, ['--import', 'tsx/esm', '--input-type=module', '-e', code])
  const numbers: number[] = []
  for await (const line of createInterface({ input: child.stderr })) numbers.push(JSON.parse(line).n)
  return numbers
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

describe('lines that are written many at a time', () => {
  it('are all there, in order, once the log was flushed', async () => {
    expect(await linesOf(5000, 'await flushLog(log); process.kill(process.pid, "SIGKILL")')).to.deep.equal(upTo(5000))
  })

  it('are all there even if the process ends at once', async () => {
    expect(await linesOf(100, 'process.exit()')).to.deep.equal(upTo(100))
  })
})
