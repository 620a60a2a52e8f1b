import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { ArchiveWriter } from '#packages/history/archive/archive-writer.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { madeHistory } from '../analysts/history.fixture.ts'
import { madeArchive } from '../analysts/tables.harness.ts'
import { sqlShell } from './sql-shell.ts'

const LONG = 'SELECT sum(a.range * b.range) FROM range(10000000) a, range(1000000) b'
const CTRL_C = '\x03'

/** A shell on an archive, with its output. */
function opened(directory: string, { isTerminal = false } = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const [printed, told]: [string[], string[]] = [[], []]
  const context = { print: (line: string) => void printed.push(line), tell: (line: string) => void told.push(line) }
  const shown: string[] = []
  output.setEncoding('utf8').on('data', (piece: string) => shown.push(piece))
  const isGood = sqlShell(directory, 'json', { input, output, isTerminal }, context)
  return { input, printed, told, isGood, shown }
}

/** The output of a shell for these lines from a pipe. */
async function piped(text: string) {
  const shell = opened(await madeArchive())
  shell.input.end(text)
  return { isGood: await shell.isGood, printed: shell.printed, told: shell.told }
}

describe('npm run history -- sql without a question', () => {
  it('answers each statement of a pipe: several on a line, one on several lines, the last without its end', async () => {
    const { printed, isGood } = await piped(
      `SELECT 1 AS a; SELECT ';' AS b; -- one; more\nSELECT /* ; */ "x;y"\nFROM (SELECT 2 AS "x;y");\n\nSELECT $$;$$ AS c`,
    )
    expect(printed).to.deep.equal(['{"a":1}', '{"b":";"}', '{"x;y":2}', '{"c":";"}'])
    expect(isGood).to.equal(true)
  })

  it('continues after an error, and reports it at the end', async () => {
    const { printed, told, isGood } = await piped('FROM nothing;\nCREATE TABLE a (b INT);\nSELECT 1 AS a;\n')
    expect(printed).to.deep.equal(['{"a":1}'])
    expect(told.join('\n')).to.contain('nothing does not exist').and.to.contain('only SELECT is run here, not CREATE')
    expect(isGood).to.equal(false)
  })

  it('names the tables and the commands, and ends with .quit', async () => {
    const { printed, told } = await piped('.tables\n.help\n.what\n.quit\nSELECT 1 AS a;\n')
    expect(printed).to.include('{"name":"jobs"}').and.to.include('{"name":"events"}')
    expect(printed).to.not.include('{"a":1}')
    expect(told.join('\n')).to.contain('.quit  ').and.to.contain('there is no .what')
  })

  it('drops a written or running statement at Ctrl-C, and answers the next', async () => {
    const shell = opened(await madeArchive(), { isTerminal: true })
    shell.input.write(`SELECT 'not\r`)
    await until('the statement goes on', () => shell.shown.join('').includes('...> '))
    shell.input.write(`this ${CTRL_C}`)
    shell.input.write(`SELECT 1 AS a;\r`)
    await until('the next question is answered', () => shell.printed.length === 1)
    shell.input.write(`${LONG};\r`)
    await until('the question ends', () => {
      shell.input.write(CTRL_C)
      return shell.told.some((line) => line.includes('INTERRUPT'))
    })
    shell.input.write('SELECT 2 AS b;\r.quit\r')
    expect(await shell.isGood).to.equal(true)
    expect(shell.printed).to.deep.equal(['{"a":1}', '{"b":2}'])
    expect(await shell.shown)
      .to.contain('sql> ')
      .and.to.contain('...> ')
  })

  it('sees events that another process adds meanwhile', async () => {
    await using folder = await temporaryDirectory()
    const directory = `${folder.path}/archive`
    const options = { origin: 'made-up', withContent: false, from: null, program: 'test' }
    await using writer = await ArchiveWriter.open(directory, options)
    const add = async (from: number, to: number): Promise<void> => {
      const events = madeHistory().slice(from, to)
      await writer.add(events)
      await writer.commit(events.at(-1)?.position ?? 0)
    }
    await add(0, 10)
    const shell = opened(directory)
    const ask = () => shell.input.write('SELECT count(*) AS events FROM events;\n')
    ask()
    await until('it is answered', () => shell.printed.length === 1)
    await add(10, 30)
    ask()
    await until('it is answered', () => shell.printed.length === 2)
    shell.input.end()
    await shell.isGood
    expect(shell.printed).to.deep.equal(['{"events":10}', '{"events":30}'])
  })
})
