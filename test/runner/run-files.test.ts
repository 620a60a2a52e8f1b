import { writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { expect } from 'chai'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'
import { Report } from './report.ts'
import { type RunOptions, runFiles } from './run-files.ts'

const worker = [process.execPath, '--import', 'tsx/esm', 'test/runner/worker.ts'] as const

describe('the test runner', () => {
  const folder = directoryForAll()

  /** Runs made-up test files, given by name and source, and returns what was printed. */
  async function run(files: Record<string, string>, options: Partial<RunOptions> = {}) {
    const lines: string[] = []
    const report = new Report((line) => lines.push(line))
    const paths = await Promise.all(
      Object.entries(files).map(async ([name, source]) => {
        const path = join(folder.path, `${name}.test.ts`)
        await writeFile(path, source)
        return path
      }),
    )
    await runFiles(paths, report, { worker, signal: new AbortController().signal, ...options })
    report.close()
    return { ok: report.ok, last: lines.at(-1), text: lines.join('\n') }
  }

  it('counts what passed, and names each file', async () => {
    const { ok, last, text } = await run({
      one: `it('a', () => {})`,
      two: `it('b', () => {})\nit('c', async () => {})`,
    })
    expect({ ok, last }).to.deep.equal({ ok: true, last: '3 passed, 0 failed, 0 skipped' })
    expect(text).to.match(/one\.test\.ts {2}1 passed/)
    expect(text).to.match(/two\.test\.ts {2}2 passed/)
  })

  it('shows what was expected if a test fails', async () => {
    const { ok, last, text } = await run({ red: `it('is red', () => { throw new Error('seven is not eight') })` })
    expect({ ok, last }).to.deep.equal({ ok: false, last: '0 passed, 1 failed, 0 skipped' })
    expect(text)
      .to.contain('seven is not eight')
      .and.to.match(/Failed:\n.*red\.test\.ts: is red\n(.|\n)*seven is not eight/)
  })

  it('prints a figure that a test has measured, if the test passes', async () => {
    const measured = JSON.stringify(resolve('test/runner/measured.ts'))
    const { text } = await run({
      timed: `import { measured } from ${measured}\nit('takes a while', () => measured('it took seven seconds'))`,
    })
    expect(text)
      .to.contain('  it took seven seconds\n')
      .and.to.match(/timed\.test\.ts {2}1 passed/)
  })

  it('counts a pending test as skipped and prints its title, which gives the reason', async () => {
    const { ok, last, text } = await run({
      some: `it('runs', () => {})\nit.skip('needs a moon, and there is none', () => {})`,
    })
    expect({ ok, last }).to.deep.equal({ ok: true, last: '1 passed, 0 failed, 1 skipped' })
    expect(text).to.match(/Skipped:\n.*some\.test\.ts: needs a moon, and there is none/)
  })

  it('reports in one line what this machine lacks, with the count of tests and files', async () => {
    const module = join(process.cwd(), 'test/runner/left-out.ts')
    const needing = (needs: string, tests: string): string =>
      `import { leaveOut } from '${module}'\nleaveOut({ needs: '${needs}', why: 'Java\\nis missing' }, () => { ${tests} })`
    const hooks = `before(() => { throw new Error('began') })`
    const { last, text } = await run({
      one: `${needing('Kafka', `describe('k', () => { ${hooks}; it('a', () => {}); it('b', () => {}) })`)}\nit('c', () => {})`,
      two: needing('MongoDB', `it('d', () => { throw new Error('ran') })`),
    })
    expect(last).to.equal('1 passed, 0 failed, 3 skipped')
    expect(text.match(/^- .*Java.*$/gm)).to.deep.equal([
      '- Kafka and MongoDB: 3 tests of 2 files left out: Java is missing',
    ])
    expect(text).to.not.contain('Skipped:')
  })

  it('fails a run of nothing but skipped tests', async () => {
    expect((await run({ none: `it.skip('needs a moon', () => {})` })).ok).to.equal(false)
  })

  it('fails if only some of the tests were selected', async () => {
    expect((await run({ only: `it.only('a', () => {})\nit('b', () => {})` })).ok).to.equal(false)
  })

  it('fails a file that cannot be loaded', async () => {
    const { ok, text } = await run({ broken: `import './absent.ts'` })
    expect(ok).to.equal(false)
    expect(text).to.contain('before its last test').and.to.contain('absent.ts')
  })

  it('fails a process that ends itself in the middle', async () => {
    const { last } = await run({ quits: `it('a', () => {})\nit('b', () => process.exit(0))` })
    expect(last).to.equal('1 passed, 1 failed, 0 skipped')
  })

  it('kills and fails a process that does not end by itself, and reports it', async () => {
    const source = `import net from 'node:net'\nit('a', (done) => { net.createServer().listen(0, '127.0.0.1', done) })`
    const { last, text } = await run({ open: source }, { leftOpenMs: 200 })
    expect(last).to.equal('1 passed, 1 failed, 0 skipped')
    expect(text).to.contain('something was left open; it did not say what')
  })

  it('kills and fails a process that falls silent', async () => {
    const source = `it('a', () => {})\nit('b', () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) }).timeout(500)`
    const { last, text } = await run({ silent: source }, { silentMs: 3_000 })
    expect(last).to.equal('1 passed, 1 failed, 0 skipped')
    expect(text).to.contain('said nothing for 3.5 s')
  })

  it('lets a test be silent for as long as its timeout allows', async () => {
    const source = `it('a', async () => { await new Promise((end) => setTimeout(end, 4_000)) }).timeout(30_000)`
    expect((await run({ long: source }, { silentMs: 3_000 })).last).to.equal('1 passed, 0 failed, 0 skipped')
  })

  it('runs every file given to it in order', async () => {
    const { text } = await run({ b: `it('x', () => {})`, a: `it('y', () => {})` })
    const names = [...text.matchAll(/✓ (\S+)/g)].map(([, path]) => basename(path ?? ''))
    expect(names).to.deep.equal(['b.test.ts', 'a.test.ts'])
  })
})
