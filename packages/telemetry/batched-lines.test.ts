import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { smallDisk, withSmallDisk } from '#test/doubles/small-disk.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'

const log = new URL('./log.ts', import.meta.url).href

const LINES = 4000

/** Logs lines while it does other work, as a service does, and reports on standard output what became of them. */
const logging = `import { createLog, flushLog, lostLines } from ${JSON.stringify(log)}
  const log = createLog('test', 'info')
  for (let n = 0; n < ${LINES}; n++) {
    log.info({ n }, 'x'.repeat(100))
    if (n % 200 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await flushLog(log)
  console.log(lostLines(log))`

/** @returns how the process ended and what it printed, once it has written its log to `to` */
async function run(code: string, to: string | number, limits: string[] = []) {
  const fd = typeof to === 'number' ? to : openSync(to, 'a')
  const words = [process.execPath, '--import', 'tsx/esm', '--input-type=module', '-e', code]
  const [command = '', ...rest] = [...limits, ...words]
  const child = spawn(command, rest, { stdio: ['pipe', 'pipe', fd] })
  if (typeof to !== 'number') closeSync(fd)
  const late = setTimeout(() => child.kill('SIGKILL'), 100_000)
  const ended = new Promise((resolve) => child.once('exit', (...how) => resolve(how)))
  const printed = text(child.stdout as Readable)
  return { child, ended: ended.finally(() => clearTimeout(late)), printed }
}

describe('the log of a process that cannot write its lines', () => {
  const fullFile = async (directory: string): Promise<string> => join(directory, 'log')
  const places = {
    'a full disk': { to: async () => '/dev/full', limits: [] as string[] },
    'a file that may grow no further': { to: fullFile, limits: ['prlimit', '--fsize=10000'] },
  }
  for (const [name, { to, limits }] of Object.entries(places))
    it(`loses lines and counts them, and the process runs to its end: ${name}`, async () => {
      await using directory = await temporaryDirectory()
      const path = await to(directory.path)
      const { ended, printed } = await run(logging, path, limits)
      expect(await ended).to.deep.equal([0, null])
      const written = path === '/dev/full' ? 0 : readFileSync(path, 'utf8').split('\n').length - 1
      expect(Number(await printed)).to.equal(LINES - written)
    })

  withSmallDisk(() => {
    it('continues with whole lines once there is room, and the first reports how many were lost', async () => {
      await using disk = await smallDisk(256 * 1024)
      const filler = join(disk.path, 'filler')
      await writeFile(filler, Buffer.alloc(200 * 1024))
      const code = `${logging}
      await new Promise((resolve) => process.stdin.once('end', resolve).resume())
      log.info({ n: ${LINES} }, 'after')
      await flushLog(log)
      log.info({ n: ${LINES + 1} }, 'last')
      await flushLog(log)`
      const path = join(disk.path, 'log')
      const { child, ended, printed } = await run(code, path)
      const lost = new Promise<number>((resolve) => child.stdout?.once('data', (bytes) => resolve(Number(bytes))))
      const count = await lost
      await unlink(filler)
      child.stdin?.end()
      expect(await ended).to.deep.equal([0, null])
      await printed
      const lines = readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
      const whole = lines.flatMap((line) => {
        try {
          return [JSON.parse(line) as { n?: number; lost?: number }]
        } catch {
          return []
        }
      })
      expect(lines.length - whole.length, 'torn lines').to.be.at.most(1)
      const reported = whole.flatMap(({ lost }) => lost ?? [])
      expect(reported).to.deep.equal([count])
      expect(whole.filter(({ n = LINES }) => n < LINES)).to.have.length(LINES - count)
      expect(whole.map(({ n }) => n)).to.include.members([LINES, LINES + 1])
    })
  })
})
