import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { scriptArguments } from '#test/doubles/script-arguments.ts'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

describe('the runtime', () => {
  const runOn = (version: string) => {
    const pretend = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
    const args = ['--import', pretend, '--import', './ops/runtime.mjs', '--eval', 'console.log("ran")']
    return spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 10_000 })
  }

  it('is Node 24', () => {
    expect(runOn('24.21.0').stdout).to.equal('ran\n')
  })

  for (const version of ['20.20.2', '22.1.0', '25.0.0', '240.0.0'])
    it(`is refused on Node ${version}, with what to do`, () => {
      const { status, stdout, stderr } = runOn(version)
      expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' })
      expect(stderr).to.contain(`This is Node ${version}`).and.to.contain('ops/setup')
    })

  it('compiles nothing by Maglev, which can end in SIGSEGV', () => {
    const hot =
      'const sum = (n) => { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s }; for (let i = 0; i < 20_000; i++) sum(200)'
    const compiled = (...runtime: string[]): string =>
      spawnSync(process.execPath, ['--trace-opt', ...runtime, '--eval', hot], { encoding: 'utf8' }).stdout
    expect(compiled()).to.match(/maglev/i)
    // Without the script's file, which is its last word.
    expect(compiled(...scriptArguments('start').slice(0, -1)))
      .to.match(/turbofan/i)
      .and.not.to.match(/maglev/i)
  })

  it('is checked before anything else by every script that starts Node, and runs without Maglev', () => {
    const starting = Object.values(scripts).filter((script) => /\bnode\b/.test(script))
    expect(starting).to.have.length.greaterThan(4)
    for (const script of starting)
      expect(script).to.match(
        /^(?:[A-Z_]+=\S+ )?exec node --no-maglev (?:--max-semi-space-size=(?:8 --heap-growing-percent=100|16) )?--import \.\/ops\/runtime\.mjs --import tsx\/esm /,
      )
  })

  it('with --help, each of them prints what it does and takes, starts nothing, and exits 0', async () => {
    const names = Object.keys(scripts).filter((name) => /\bnode\b/.test(scripts[name] ?? ''))
    const helpOf = async (name: string): Promise<string> => {
      const words = [...scriptArguments(name), '--help']
      return (await promisify(execFile)(process.execPath, words, { timeout: 20_000 })).stdout
    }
    const helps = await Promise.all(names.map(async (name) => [name, await helpOf(name)] as const))
    const silent = helps.filter(([name, help]) => !new RegExp(`npm (run )?${name}\\b`).test(help))
    expect(silent.map(([name]) => name)).to.deep.equal([])
  })
})
