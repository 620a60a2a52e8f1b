/** Runs the commands of the documents on the files that ops/Dockerfile puts into the image. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { machineEnvironment } from '#test/doubles/machine-environment.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { endOfProgram } from '#test/doubles/program-end.ts'
import { scriptArguments } from '#test/doubles/script-arguments.ts'
import { type Import, sourceFile } from '#test/tidy/source-file.ts'
import { imageFolder } from './image.harness.ts'

/** Scripts for people with the whole tree and its development packages, or without containers. */
const ofDevelopment =
  /^(alerts|bench|contracts(:lint)?|dashboards|demo|simulate|start:distributed|test(:\w+)?|worst-requests)$/

/** Documents for contributors, and about the past. */
const otherDocuments = ['CHANGELOG.md', 'CONTRIBUTING.md', 'ops/adr/']

const documents = globSync('{*.md,{contracts,ops,packages,services}/**/*.md,ops/compose.yaml}').filter(
  (path) => !otherDocuments.some((other) => path.startsWith(other)),
)

/** The npm scripts that a document runs, on the machine or in a container. */
const scriptsIn = (text: string): string[] =>
  [...text.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]*\w)|(start|test)\b)|--rm operator ([\w-]*\w)/g)].flatMap(
    (found) => found.slice(1).filter((name) => name !== undefined),
  )

describe('the image', function () {
  this.timeout(60_000)

  const app = openedForAll(imageFolder)

  const inside = (path: string): boolean => existsSync(join(app.path, path))

  /** Imports by file, because programs share most of their files. */
  const imports = new Map<string, readonly Import[]>()
  function importsOf(path: string): readonly Import[] {
    if (!/\.[cm]?[jt]sx?$/.test(path)) return []
    const known = imports.get(path) ?? sourceFile(path, readFileSync(join(app.path, path), 'utf8')).imports
    imports.set(path, known)
    return known
  }

  /** The files and packages that a program imports and the image lacks. */
  function missingFor(entry: string): string[] {
    const seen = new Set([entry])
    const missing: string[] = []
    for (const path of seen) {
      if (!inside(path)) missing.push(path)
      else
        for (const to of importsOf(path)) {
          if (to.kind === 'file') seen.add(to.path)
          if (to.kind === 'package' && !inside(`node_modules/${to.name}`)) missing.push(`${path}: ${to.name}`)
        }
    }
    return missing
  }

  const named = [...new Set(documents.flatMap((path) => scriptsIn(readFileSync(path, 'utf8'))))].sort()
  const ofOperators = named.filter((name) => !ofDevelopment.test(name))

  it('has the commands of operators, analysts and the service from the documents', () => {
    expect(ofOperators).to.include.members(['accounts', 'dead-letters', 'history', 'mcp', 'org', 'platforms', 'start'])
  })

  for (const name of ofOperators)
    it(`has everything that npm run ${name} imports`, () => {
      expect(missingFor(scriptArguments(name).at(-1) ?? '')).to.deep.equal([])
    })

  /** Runs a script in the image's folder, as npm does. */
  function run(script: string, ...words: string[]) {
    const env = { ...machineEnvironment(), DATA_DIR: join(app.path, 'data'), EGRESS_PROXY: 'http://127.0.0.1:9' }
    return endOfProgram(process.execPath, [...scriptArguments(script), ...words], { cwd: app.path, env })
  }

  it('answers the questions of analysts: history sql, history report', async () => {
    const made = await run('org', 'create', 'Acme')
    expect(made.status, made.said).to.equal(0)
    const asked = await run('history', 'sql', 'SELECT count(*) AS jobs FROM jobs', '--json')
    expect(asked.status, asked.said).to.equal(0)
    expect(asked.said).to.contain('"jobs":0')
    const told = await run('history', 'report', '--to', 'data/report.html')
    expect(told.status, told.said).to.equal(0)
    expect(readFileSync(join(app.path, 'data/report.html'), 'utf8')).to.contain('</html>')
  })

  it('reads a platform: platforms check', async () => {
    const { said } = await run('platforms', 'check', 'https://x.com/NASA/status/1')
    expect(said).to.match(/^ +x +metadata +refused/m)
  })
})
