import { spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'chai'
import { readableLines } from './readable-lines.ts'

const log = new URL('./log.ts', import.meta.url).href
const code = `import { createLog } from "${log}"; createLog("test", "info").info({ status: 200 }, "request")`
const node = `${process.execPath} --import tsx --input-type=module -e '${code}'`

/** Runs a command at a terminal of its own. */
const terminal = 'import pty, sys; pty.spawn(sys.argv[1:])'

/** Without colours. */
const plain = (text: string): string => stripVTControlCharacters(text).trim()

describe('a line of the log', () => {
  it('is readable at a terminal, and JSON anywhere else', () => {
    const options = { encoding: 'utf8', timeout: 20_000 } as const
    const atTerminal = spawnSync('python3', ['-c', terminal, 'sh', '-c', node], options)
    expect(plain(atTerminal.stdout)).to.match(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: request \{"status":200\}$/)
    const { stderr } = spawnSync('sh', ['-c', node], options)
    expect(JSON.parse(stderr)).to.include({ level: 'info', service: 'test', status: 200, msg: 'request' })
  }).timeout(30_000)

  it('shows an error with its stack, and nothing that controls the terminal', () => {
    const err = { message: 'not \u001B[2J', stack: '    at one\n    at two' }
    const line = JSON.stringify({ level: 'error', time: 0, err, title: '\u202E', msg: 'failed' })
    const shown = plain(readableLines()(line))
    expect(shown).to.match(/ERROR: failed.*\n[\s\S]*\n +at one\n +at two\n/)
    expect(shown).to.contain('u001b[2J').and.to.contain('u202e').and.to.not.contain('\u202E')
  })
})
