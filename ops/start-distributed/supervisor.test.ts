import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { Supervisor } from './supervisor.ts'

/** A program that prints its process id and serves. It ends only if `then` makes it. */
const program = (then: string): readonly string[] => [
  '-e',
  `${then}; console.log('pid', process.pid); setInterval(() => {}, 1000); process.send('serving')`,
]

describe('the supervisor', () => {
  let stop: AbortController
  let lines: [name: string, line: string][]
  beforeEach(() => {
    stop = new AbortController()
    lines = []
  })

  const supervisor = (endWithinMs = 5000) =>
    new Supervisor({
      say: (name, line) => void lines.push([name, line]),
      stop: stop.signal,
      endWithinMs,
      firstPauseMs: 10,
      longestPauseMs: 40,
    })
  const pids = (): number[] => lines.flatMap(([, line]) => (line.startsWith('pid ') ? [Number(line.slice(4))] : []))
  const lives = (pid: number | undefined): boolean => {
    try {
      return process.kill(pid ?? 0, 0)
    } catch {
      return false
    }
  }

  it('restarts a killed program, and puts each program’s name on its lines', async () => {
    const all = supervisor()
    await all.start({ name: 'fetch', words: program(''), env: process.env })
    const [first = 0] = await until('it has printed its id', () => pids().length > 0 && pids())
    process.kill(first, 'SIGKILL')
    const [, second] = await until('another runs', () => pids().length > 1 && pids())
    expect(lives(second)).to.equal(true)
    expect(lines.map(([name]) => name)).to.deep.equal(['fetch', 'fetch', 'fetch'])
    expect(lines[1]?.[1]).to.contain('SIGKILL').and.to.contain('starts again in 10 ms')
    stop.abort()
    await all.ended()
    expect(pids().filter(lives)).to.deep.equal([])
  })

  it('waits longer before each restart of a program that dies at once, and does not delay the others', async () => {
    const all = supervisor()
    const failing = all.start({ name: 'caption', words: ['-e', 'process.exitCode = 1'], env: process.env })
    await all.start({ name: 'fetch', words: program(''), env: process.env })
    const told = () => lines.filter(([name]) => name === 'caption').map(([, line]) => line)
    await until('it was started five times', () => told().length >= 5)
    const waits = told().map((line) => /in (\d+) ms/.exec(line)?.[1])
    expect(waits.slice(0, 5)).to.deep.equal(['10', '20', '40', '40', '40'])
    stop.abort()
    await all.ended()
    await failing
  })

  it('asks all to end, waits for them, and kills one that takes too long', async () => {
    await using folder = await temporaryDirectory()
    const file = join(folder.path, 'ended')
    const drains = `process.on('SIGTERM', () => setTimeout(() => { require('node:fs').writeFileSync('${file}', 'well'); process.exit() }, 20))`
    const endWithinMs = 2000
    const all = supervisor(endWithinMs)
    await all.start({ name: 'drains', words: program(drains), env: process.env })
    await all.start({ name: 'hangs', words: program(`process.on('SIGTERM', () => {})`), env: process.env })
    const from = performance.now()
    stop.abort()
    await all.ended()
    expect(performance.now() - from).to.be.at.least(endWithinMs - 100)
    expect(await readFile(file, 'utf8')).to.equal('well')
    expect(pids()).to.have.length(2)
    expect(pids().filter(lives)).to.deep.equal([])
  })
})
