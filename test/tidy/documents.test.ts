import { execFileSync } from 'node:child_process'
import { accessSync, constants, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect } from 'chai'
import { failures } from '#packages/domain/job/failure.ts'
import { variables } from '#packages/foundation/config/config.ts'
import { statusOf } from '#packages/foundation/errors/service-error.ts'
import { trapRows } from '#test/runner/engine-traps.ts'
import { inOneProcessOnly } from '#test/runner/one-process.ts'

const read = (path: string): string => readFileSync(path, 'utf8')

const traps = 'ops/adr/engine-traps.md'

type Manifest = { scripts: object; dependencies: object; devDependencies: Record<string, string> }
const manifest = JSON.parse(read('package.json')) as Manifest

/** The rows of a Markdown document's tables that have code in the first cell, as the texts of their cells. */
function rowsOf(markdown: string): string[][] {
  const rows = markdown.split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((line) =>
    line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim()),
  )
}

/** The texts between backticks, of one line or several. */
const codesIn = (text: string): string[] => [...text.matchAll(/(`+)(.+?)\1/gs)].map(([, , code]) => code ?? '')

describe('tidy: the top level', () => {
  it('holds the rooms, and what tools and readers look for there', () => {
    const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n')
    expect([...new Set(tracked.map((path) => path.split('/')[0]))].sort()).to.deep.equal([
      ...['.ci', '.dockerignore', '.editorconfig', '.github', '.gitignore', '.mocharc.json', '.nvmrc'],
      ...['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md'],
      ...['biome.json', 'contracts', 'ops', 'package-lock.json', 'package.json', 'packages', 'services', 'test'],
      'tsconfig.json',
    ])
  })

  it('names one Node', () => {
    expect(read('.nvmrc').trim()).to.equal(manifest.devDependencies.node)
  })
})

describe('tidy: the README', () => {
  const readme = read('README.md')

  it('can be read in five minutes', () => {
    expect(readme.trimEnd().split('\n').length).to.be.at.most(120)
  })

  it('gives the two commands of a newcomer, and the scripts in them exist', () => {
    expect(readme).to.contain('ops/setup && npm run demo').and.to.contain('ops/setup && npm test')
    accessSync('ops/setup', constants.X_OK)
    const commands = codesIn(readme).flatMap((code) => [
      ...code.matchAll(/\bnpm (?:run (?:--silent )?)?(?!run\b)([a-z][\w:-]*)/g),
    ])
    const scripts = commands.map(([, name]) => name ?? '')
    expect(scripts).to.include.members(['demo', 'test', 'start', 'org'])
    expect(scripts.filter((name) => !(name in manifest.scripts))).to.deep.equal([])
  })

  it('has every package and every service in its table', () => {
    const rooms = globSync('{packages,services}/*', { withFileTypes: true }).filter((entry) => entry.isDirectory())
    const paths = rooms.map(({ parentPath, name }) => `${relative('.', parentPath)}/${name}/`)
    expect(paths.length).to.be.greaterThan(20)
    expect(paths.filter((path) => !readme.includes(`\`${path}\``))).to.deep.equal([])
  })
})

describe('tidy: documents for people who change the code', () => {
  for (const document of ['README.md', 'CONTRIBUTING.md', 'ops/architecture.md', 'ops/glossary.md'])
    it(`name folders, files and scripts that exist: ${document}`, () => {
      const text = read(document)
      const codes = codesIn(text.replace(/^```[\s\S]*?^```/gm, ''))
      // A name in capitals stands for any.
      const paths = codes.filter((code) => /^(contracts|packages|services|ops|test)\/[\w./-]*$/.test(code))
      const named = paths.filter((path) => !/(^|[/.])[A-Z]+([/.]|$)/.test(path))
      const links = [...text.matchAll(/\]\(([\w./-]+)\)/g)].map(([, to]) => join(dirname(document), to ?? ''))
      const missing = [...named, ...links].filter((path) => globSync(path.replace(/\/$/, '')).length === 0)
      expect(missing).to.deep.equal([])
      const scripts = [...text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)].map(([, name]) => name ?? '')
      expect(scripts.filter((name) => !(name in manifest.scripts))).to.deep.equal([])
    })
})

describe('tidy: ops/configuration.md', () => {
  it('lists every variable of the configuration with its default, and no other', () => {
    const listed = rowsOf(read('ops/configuration.md')).filter(([names]) =>
      /^`[A-Z_]+`(, `[A-Z_]+`)*$/.test(names ?? ''),
    )
    const rows = listed.flatMap(([names, fallback]) =>
      codesIn(names ?? '').map((name) => `${name}: ${fallback?.replaceAll('`', '')}`),
    )
    const wanted = Object.values(variables).map(({ variable, fallback }) => `${variable}: ${fallback ?? 'unset'}`)
    expect(rows.sort()).to.deep.equal(wanted.sort())
  })
})

describe('tidy: the records in ops/adr', () => {
  it('give a reason for every dependency, and for no other', () => {
    const rows = rowsOf(read('ops/adr/0002-dependencies.md'))
    const named = rows.flatMap(([name]) => codesIn(name ?? ''))
    expect(rows.filter(([, why]) => (why ?? '').length < 10)).to.deep.equal([])
    expect(named.sort()).to.deep.equal(
      [...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)].sort(),
    )
  })

  it('name every error code with its status, every failure of a job, and no other', () => {
    const rows = read('ops/adr/0001-what-the-specification-leaves-open.md').split('\n')
    const row = (point: string): string => rows.find((line) => line.startsWith(`| ${point} |`)) ?? ''
    const errors = [...row('error codes').matchAll(/(\d{3}) `(\w+)`/g)].map(([, status, code]) => [
      code,
      Number(status),
    ])
    expect(errors.sort()).to.deep.equal(Object.entries(statusOf).sort())
    expect(codesIn(row('failure codes')).sort()).to.deep.equal(Object.keys(failures).sort())
  })

  it('are numbered without gaps, and the README links to them', () => {
    const records = globSync('ops/adr/*.md').filter((path) => path !== traps)
    const numbers = records.sort().map((path) => Number(/\/(\d{4})-/.exec(path)?.[1]))
    expect(numbers).to.deep.equal(numbers.map((_, index) => index + 1))
    expect(read('README.md')).to.contain('ops/adr/')
  })
})

describe('tidy: ops/adr/engine-traps.md', () => {
  const rows = trapRows(read(traps))

  it('has an answer to every known trap', () => {
    const known = { E: 16, K: 4, J: 10, M: 5, D: 2 }
    const ids = Object.entries(known).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, n) => `${letter}${n + 1}`),
    )
    expect([...new Set(rows.map(({ id }) => id))]).to.deep.equal(ids)
    expect(read(traps).match(/^\| [A-Z]\d/gm), 'rows that can be read').to.have.length(rows.length)
  })

  it('names tests that exist: in files that the runner takes, or in the contract suites they call', () => {
    const contracts = globSync('packages/ports/*.contract.ts').map(read).join('\n')
    const tests = globSync('{packages,services,test}/**/*.test.ts')
    const missing = rows.filter(({ file, title }) => {
      if (!tests.includes(file)) return true
      const source = read(file)
      return (
        !source.includes(title) &&
        !(/\bdescribe(EventStore|WorkQueue|Views)\(/.test(source) && contracts.includes(title))
      )
    })
    expect(missing).to.deep.equal([])
  })
})

describe('tidy: the scenarios of one process only', () => {
  it('exist, each with a reason', () => {
    for (const [file, reason] of Object.entries(inOneProcessOnly)) {
      accessSync(file)
      expect(reason.length, file).to.be.greaterThan(20)
    }
  })
})

describe('tidy: .ci/run', () => {
  it("begins with the README's test command", () => {
    // Indented lines belong to functions.
    const lines = read('.ci/run')
      .split('\n')
      .filter((line) => /^[^#\s].*\b(npm|node|ops)\b|^(npm|node|ops)\b/.test(line))
    expect(lines[0]).to.equal('ops/setup && npm test || exit')
    accessSync('.ci/run', constants.X_OK)
  })
})
