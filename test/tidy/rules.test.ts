import { expect } from 'chai'
import { circlesIn, fileArrows, folderArrows } from './circles.ts'
import { importRules } from './import-rules.ts'
import { moduleStateRule } from './module-state.ts'
import { sourceFile } from './source-file.ts'
import { textRules } from './text-rules.ts'

const complaintsAbout = (path: string, source: string): string[] =>
  [...importRules, ...textRules, moduleStateRule].flatMap((rule) => rule.check(sourceFile(path, source)))

/** Made-up files: what they must not import, and what they may. */
const imports: readonly [rule: string, path: string, refused: readonly string[], accepted: readonly string[]][] = [
  ['contracts import nothing', 'contracts/x.ts', ['ajv'], ['./generated/events.ts']],
  ['event-sourcing knows no domain', 'packages/event-sourcing/x.ts', ['#packages/domain/x.ts'], ['#contracts/x.ts']],
  ['telemetry knows nothing that it measures but ports', 'packages/telemetry/x.ts', ['#packages/egress/egress.ts'], []],
  ['code that is measured knows telemetry', 'packages/egress/x.ts', [], ['#packages/telemetry/telemetry.ts']],
  [
    'domain knows contracts and event-sourcing only',
    'packages/domain/x.ts',
    ['#packages/ports/x.ts'],
    ['#contracts/x.ts'],
  ],
  ['domain has no module of Node and no package', 'packages/domain/job/x.ts', ['node:crypto', 'uuid'], ['./events.ts']],
  [
    'ports import domain and contracts',
    'packages/ports/x.ts',
    ['#packages/foundation/x.ts'],
    ['#packages/event-sourcing/x.ts'],
  ],
  ['an adapter imports ports', 'packages/adapters/kafka/x.ts', ['#packages/telemetry/x.ts'], ['#packages/ports/x.ts']],
  ['an adapter has its one client library', 'packages/adapters/kafka/x.ts', ['mongodb'], ['kafkajs']],
  ['an adapter has no other package', 'packages/adapters/kafka/x.ts', ['undici'], ['node:crypto']],
  ['an adapter imports no other adapter', 'packages/adapters/sqlite/x.ts', ['../memory/views.ts'], ['../codec.ts']],
  ['only adapters import the library that counts requests', 'services/ingress/x.ts', ['rate-limiter-flexible'], []],
  ['an adapter may count requests by it', 'packages/adapters/memory/x.ts', [], ['rate-limiter-flexible']],
  ['the shared codec has no client library', 'packages/events/format/codec.ts', ['node:sqlite'], ['node:zlib']],
  ['only its adapter imports node:sqlite', 'packages/events/views/x.ts', ['node:sqlite'], ['node:path']],
  [
    'only its adapter imports a client, entry points included',
    'services/host/main.ts',
    ['@eventstore/db-client/generated/streams_pb.js'],
    ['#packages/adapters/eventstoredb/event-store.ts'],
  ],
  [
    'packages import no adapter',
    'packages/jobs/x.ts',
    ['#packages/adapters/memory/views.ts'],
    ['#packages/ports/views.ts'],
  ],
  ['packages import no service', 'packages/content/x.ts', ['../../services/fetch/step.ts'], ['../egress/egress.ts']],
  ['packages know no HTTP framework', 'packages/platforms/lookups/x.ts', ['express'], []],
  ['services know the HTTP framework', 'services/ingress/routes/x.ts', [], ['express']],
  [
    "a service's logic imports no adapter, no other service and nothing of ops/",
    'services/fetch/step.ts',
    ['#packages/adapters/system/clock.ts', '#services/caption/step.ts', '#ops/demo/film.ts'],
    ['#packages/ports/clock.ts', './x.ts'],
  ],
  ['routes import no other service', 'services/ingress/routes/x.ts', ['../../projections/projector.ts'], ['../x.ts']],
  ['only wiring mounts another service', 'services/mcp/x.ts', ['#services/ingress/app.ts'], []],
  ['wiring mounts services', 'services/host/main.ts', [], ['#services/ingress/app.ts']],
  ['nothing imports test/, entry points included', 'services/host/main.ts', ['#test/doubles/world.ts'], []],
  [
    'the demo takes its outside world from test/',
    'ops/demo/main.ts',
    ['#test/tidy/rules.ts'],
    ['#test/doubles/world.ts'],
  ],
  ['a command imports other files of ops/', 'ops/demo/main.ts', [], ['#ops/demo/film.ts']],
  ['nothing imports a test', 'packages/events/views/x.ts', ['./x.test.ts'], []],
  ['a test may import a contract suite', 'packages/events/x.test.ts', [], ['#packages/ports/views.contract.ts']],
  ['nothing but --sandbox imports the sandbox', 'services/host/outside.ts', ['#services/sandbox/world.ts'], []],
  ['the switch --sandbox imports the sandbox', 'services/host/sandbox.ts', [], ['#services/sandbox/world.ts']],
]

/** Made-up files that must be refused, and similar ones that must not: others at the same path, or the same elsewhere. */
const texts: readonly [rule: string, path: string, bad: string, good: string, goodPath?: string][] = [
  [
    'no start loads what only a read needs',
    'packages/platforms/youtube/x.ts',
    `import { type Post, openInnerTube } from './innertube.ts'`,
    `import type { Post } from './innertube.ts'`,
  ],
  ['no import is computed', 'packages/events/views/x.ts', 'await import(`./${name}.ts`)', `await import('./x.ts')`],
  [
    'an import is computed only where a person names the file',
    'ops/history/replay.ts',
    'await import(url)',
    'await import(url)',
    'ops/history/load-module.ts',
  ],
  [
    'the environment is read in one place',
    'packages/content/media/x.ts',
    'const x = process.env.PORT',
    'const x = process.env',
    'services/host/main.ts',
  ],
  ['the environment has no back door', 'packages/content/media/x.ts', `import { env } from 'node:process'`, ''],
  [
    'the process is ended in one place',
    'services/host/start.ts',
    'process.exit(1)',
    'process.exit(1)',
    'ops/organizations/main.ts',
  ],
  ['no clock where it is decided', 'packages/domain/job/x.ts', 'const x = Date.now()', 'const x = new Date(at)'],
  [
    'no date of now where it is decided',
    'services/projections/x.ts',
    'const x = new Date()',
    'const x = Date.parse(at)',
  ],
  [
    'no timer where it is decided',
    'services/orchestrator/x.ts',
    'setTimeout(work, 5)',
    'setTimeout(work, 5)',
    'packages/content/media/x.ts',
  ],
  [
    'no timer by another name',
    'packages/jobs/processing/x.ts',
    `import { setTimeout as sleep } from 'node:timers/promises'`,
    '',
  ],
  [
    'no chance where it is decided',
    'packages/accounts/ledger/x.ts',
    'const x = Math.random()',
    'const x = ids.random()',
  ],
  [
    'recordings come from one module',
    'packages/x/x.test.ts',
    `const file = new URL('../../../shared/x.json', import.meta.url)`,
    `const folder = '../shared'`,
    'test/doubles/recordings.ts',
  ],
  ['no file of more than 400 lines', 'test/x.test.ts', 'x\n'.repeat(401), 'x\n'.repeat(400)],
  ['nothing from outside', 'test/x.ts', `// as ${'DESI'}${'GN'} says`, '// as the ADR says'],
  ['one dialect of chai', 'test/x.test.ts', 'expect(of(x)).equal(1)', 'expect(of(x)).to.equal(1)'],
  ['nothing unfinished', 'test/x.ts', `// ${'TO'}${'DO'}: later`, '// later'],
  ['no empty name of a file', 'packages/content/media/media-utils.ts', '', '', 'packages/content/media/probe.ts'],
  ['no empty name of a folder', 'packages/common/x.ts', '', '', 'packages/commons-log/x.ts'],
  ['no test alone', 'packages/x/x.test.ts', `describe.only('x', () => {})`, `describe('.only', () => {})`],
  ['no variable of a module', 'packages/x/x.ts', 'let count = 0', 'export function f() {\n  let count = 0\n}'],
  [
    'no variable of a module but the first of a thread',
    'packages/x/x.ts',
    'let count = 0',
    `import { parentPort } from 'node:worker_threads'\nlet count = 0`,
  ],
  [
    'no collection of a module that changes',
    'packages/x/x.ts',
    `const known = new Map()\nexport const keep = (id) => known.set(id, 1)`,
    `const known = new Map([['a', 1]])\nexport const find = (id) => known.get(id)`,
  ],
  [
    'no object of a module that changes',
    'packages/x/x.ts',
    'const counts = {}\nexport const count = (id) => { counts[id] += 1 }',
    'const counts = {}\nexport const isMany = (id) => counts[id] === 7',
  ],
  [
    'no field of an object of a module that changes',
    'packages/x/x.ts',
    'const state = { count: 0 }\nexport const count = () => state.count++',
    'const state = { count: 0 }\nexport const count = () => state.count + 1',
  ],
]

describe('tidy: every rule fails what breaks it', () => {
  for (const [rule, path, refused, accepted] of imports)
    it(rule, () => {
      const isRefused = (name: string): boolean => complaintsAbout(path, `import '${name}'`).length > 0
      expect([...refused, ...accepted].filter(isRefused)).to.deep.equal(refused)
    })

  for (const [rule, path, bad, good, goodPath = path] of texts)
    it(rule, () => {
      expect(complaintsAbout(path, bad), 'the made-up offender').to.not.deep.equal([])
      expect(complaintsAbout(goodPath, good), 'its well-behaved sibling').to.deep.equal([])
    })
})

describe('tidy: circles of imports', () => {
  const files = [
    sourceFile('packages/a/x.ts', `import '#packages/b/x.ts'`),
    sourceFile('packages/b/x.ts', `import type { T } from './y.ts'`),
    sourceFile('packages/b/y.ts', ''),
  ]

  it('are found between files, through types as well', () => {
    expect(circlesIn(fileArrows(files))).to.deep.equal([])
    const closing = sourceFile('packages/b/y.ts', `import type { T } from '#packages/a/x.ts'`)
    expect(circlesIn(fileArrows([...files, closing]))).to.deep.equal([
      'packages/a/x.ts → packages/b/x.ts → packages/b/y.ts → packages/a/x.ts',
    ])
  })

  it('are found between folders even if their files have none', () => {
    const closing = sourceFile('packages/b/z.ts', `import type { T } from '#packages/a/y.ts'`)
    expect(circlesIn(fileArrows([...files, closing]))).to.deep.equal([])
    expect(circlesIn(folderArrows([...files, closing]))).to.deep.equal(['packages/a → packages/b → packages/a'])
  })

  it('do not count if a test closes them', () => {
    const closing = sourceFile('packages/b/y.test.ts', `import '#packages/a/x.ts'`)
    expect(circlesIn(folderArrows([...files, closing]))).to.deep.equal([])
  })
})
