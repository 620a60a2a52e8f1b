import { spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import { type Lack, leaveOut } from '#test/runner/left-out.ts'
import { readableLines } from './readable-lines.ts'

const log = new URL('./log.ts', import.meta.url).href
const code = `import { createLog } from "${log}"; createLog("test", "info").info({ status: 200 }, "request")`
const node = `${process.execPath} --import tsx/esm --input-type=module -e '${code}'`

/** Runs a command at its own terminal. */
const terminal = 'import pty, sys; pty.spawn(sys.argv[1:])'

const NO_TERMINAL: Lack = { needs: 'a terminal', why: 'this machine opens none (/dev/pts)' }

const withTerminal = (body: () => void): void =>
  spawnSync('python3', ['-c', 'import pty; pty.openpty()']).status === 0 ? body() : leaveOut(NO_TERMINAL, body)

/** Without colours. */
const plain = (text: string): string => stripVTControlCharacters(text).trim()

describe('a line of the log', () => {
  const options = { encoding: 'utf8', timeout: 20_000 } as const

  it('is JSON without a terminal', () => {
    const { stderr } = spawnSync('sh', ['-c', node], options)
    expect(JSON.parse(stderr)).to.include({ level: 'info', service: 'test', status: 200, msg: 'request' })
  })

  withTerminal(() => {
    it('is readable at a terminal', () => {
      const { stdout } = spawnSync('python3', ['-c', terminal, 'sh', '-c', node], options)
      expect(plain(stdout)).to.match(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: request \{"status":200\}$/)
    })
  })

  it('shows an error with its stack, and nothing that controls the terminal', () => {
    const err = { message: 'not \u001B[2J', stack: '    at one\n    at two' }
    const line = JSON.stringify({ level: 'error', time: 0, err, title: '\u202E', msg: 'failed' })
    const shown = plain(readableLines()(line))
    expect(shown).to.match(/ERROR: failed.*\n[\s\S]*\n +at one\n +at two\n/)
    expect(shown).to.contain('u001b[2J').and.to.contain('u202e').and.to.not.contain('\u202E')
  })
})
