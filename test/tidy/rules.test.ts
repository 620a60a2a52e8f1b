import { expect } from 'chai'
import { circlesIn, fileArrows, folderArrows } from './circles.ts'
import { importRules } from './import-rules.ts'
import { moduleStateRule } from './module-state.ts'
import { sourceFile } from './source-file.ts'
import { textRules } from './text-rules.ts'

const complaintsAbout = (path: string, source: string): string[] =>
  [...importRules, ...textRules, moduleStateRule].flatMap((rule) => rule.check(sourceFile(path, source)))

/** A made-up file that must be refused, and a similar one that must not: an empty one, or the same one elsewhere. */
type Case = { rule: string; path: string; bad: string; good?: string; goodPath?: string }

const cases: Case[] = [
  {
    rule: 'contracts import nothing',
    path: 'contracts/x.ts',
    bad: `import 'ajv'`,
    good: `import './generated/events.ts'`,
  },
  {
    rule: 'event-sourcing knows no domain',
    path: 'packages/event-sourcing/x.ts',
    bad: `import type { T } from '#packages/domain/job/events.ts'`,
    good: `import type { T } from '#contracts/generated/events.ts'`,
  },
  {
    rule: 'telemetry knows nothing that it measures but ports',
    path: 'packages/telemetry/x.ts',
    bad: `import type { T } from '#packages/egress/egress.ts'`,
    goodPath: 'packages/egress/x.ts',
    good: `import type { T } from '#packages/telemetry/telemetry.ts'`,
  },
  {
    rule: 'domain imports contracts and event-sourcing only',
    path: 'packages/domain/x.ts',
    bad: `import type { T } from '#packages/ports/clock.ts'`,
    good: `import type { T } from '#contracts/generated/events.ts'`,
  },
  {
    rule: 'domain has no module of Node',
    path: 'packages/domain/job/x.ts',
    bad: `import 'node:crypto'`,
    good: `import './events.ts'`,
  },
  { rule: 'domain has no package', path: 'packages/domain/x.ts', bad: `import 'uuid'` },
  {
    rule: 'ports import domain and contracts',
    path: 'packages/ports/x.ts',
    bad: `import '#packages/foundation/errors/step-error.ts'`,
    good: `import '#packages/event-sourcing/event.ts'`,
  },
  {
    rule: 'an adapter imports ports',
    path: 'packages/adapters/kafka/x.ts',
    bad: `import '#packages/telemetry/log.ts'`,
    good: `import '#packages/ports/work-queue.ts'`,
  },
  {
    rule: 'an adapter has its one client library',
    path: 'packages/adapters/kafka/x.ts',
    bad: `import 'mongodb'`,
    good: `import 'kafkajs'`,
  },
  {
    rule: 'only its adapters import the library that counts requests',
    path: 'services/ingress/limits/x.ts',
    bad: `import { RateLimiterMemory } from 'rate-limiter-flexible'`,
    goodPath: 'packages/adapters/memory/x.ts',
  },
  {
    rule: 'an adapter has no other package',
    path: 'packages/adapters/kafka/x.ts',
    bad: `import 'undici'`,
    good: `import 'node:crypto'`,
  },
  {
    rule: 'an adapter imports no other adapter',
    path: 'packages/adapters/sqlite/x.ts',
    bad: `import '../memory/views.ts'`,
    good: `import '../codec.ts'`,
  },
  {
    rule: 'the shared codec has no client library',
    path: 'packages/events/format/codec.ts',
    bad: `import 'node:sqlite'`,
    good: `import 'node:zlib'`,
  },
  {
    rule: 'only its adapter imports node:sqlite',
    path: 'packages/events/views/x.ts',
    bad: `import { DatabaseSync } from 'node:sqlite'`,
    good: `import 'node:path'`,
  },
  {
    rule: 'only its adapter imports a client, entry points included',
    path: 'services/host/main.ts',
    bad: `import '@eventstore/db-client/generated/streams_pb.js'`,
    good: `import '#packages/adapters/eventstoredb/event-store.ts'`,
  },
  {
    rule: 'a client counts without its node: as well',
    path: 'packages/events/views/x.ts',
    bad: `import 'sqlite'\nimport 'node:sqlite'`,
  },
  {
    rule: 'packages import no adapter',
    path: 'packages/jobs/processing/x.ts',
    bad: `import '#packages/adapters/memory/views.ts'`,
    good: `import '#packages/ports/views.ts'`,
  },
  {
    rule: 'packages import no service',
    path: 'packages/content/media/x.ts',
    bad: `import '../../../services/fetch/step.ts'`,
    good: `import '../egress/egress.ts'`,
  },
  {
    rule: 'packages know no HTTP framework',
    path: 'packages/platforms/lookups/x.ts',
    bad: `import type { Response } from 'express'`,
    goodPath: 'services/ingress/routes/x.ts',
  },
  {
    rule: "a service's logic imports no adapter",
    path: 'services/fetch/step.ts',
    bad: `import '#packages/adapters/system/clock.ts'`,
    good: `import '#packages/ports/clock.ts'`,
  },
  {
    rule: "a service's logic imports no other service",
    path: 'services/fetch/step.ts',
    bad: `import type { T } from '#services/caption/step.ts'`,
    good: `import './x.ts'`,
  },
  {
    rule: 'routes import no other service',
    path: 'services/ingress/routes/jobs.ts',
    bad: `export * from '../../projections/projector.ts'`,
    good: `import '../x.ts'`,
  },
  {
    rule: 'only wiring mounts another service',
    path: 'services/mcp/x.ts',
    bad: `import '#services/ingress/app.ts'`,
    goodPath: 'services/host/main.ts',
  },
  {
    rule: 'nothing imports test/',
    path: 'services/host/main.ts',
    bad: `import '#test/doubles/world.ts'`,
    goodPath: 'ops/demo/main.ts',
  },
  {
    rule: 'the demo takes only its outside world from test/',
    path: 'ops/demo/main.ts',
    bad: `import '#test/tidy/rules.ts'`,
  },
  {
    rule: 'nothing imports a test',
    path: 'packages/events/views/x.ts',
    bad: `import './x.test.ts'`,
    goodPath: 'packages/events/views/x.test.ts',
    good: `import '#packages/ports/views.contract.ts'`,
  },
  {
    rule: 'nothing imports ops/',
    path: 'services/fetch/step.ts',
    bad: `import '#ops/demo/film.ts'`,
    goodPath: 'ops/demo/main.ts',
    good: `import './film.ts'`,
  },
  {
    rule: 'nothing but the switch --sandbox imports the sandbox',
    path: 'services/host/outside.ts',
    bad: `await import('#services/sandbox/world.ts')`,
    goodPath: 'services/host/sandbox.ts',
  },
  {
    rule: 'no start loads what only a read needs',
    path: 'packages/platforms/youtube/x.ts',
    bad: `import { type Post, openInnerTube } from './innertube.ts'`,
    good: `import type { Post } from './innertube.ts'`,
  },
  {
    rule: 'no import is computed',
    path: 'packages/events/views/x.ts',
    bad: 'await import(`./${name}.ts`)',
    good: `await import('./x.ts')`,
  },
  {
    rule: 'an import is computed only where a person names the file',
    path: 'ops/history/replay.ts',
    bad: 'await import(url)',
    goodPath: 'ops/history/load-module.ts',
  },
  {
    rule: 'the environment is read in one place',
    path: 'packages/content/media/x.ts',
    bad: 'const x = process.env.PORT',
    goodPath: 'services/host/main.ts',
    good: 'const x = process.env',
  },
  {
    rule: 'the environment has no back door',
    path: 'packages/content/media/x.ts',
    bad: `import { env } from 'node:process'`,
  },
  {
    rule: 'the process is ended in one place',
    path: 'services/host/start.ts',
    bad: 'process.exit(1)',
    goodPath: 'ops/organizations/main.ts',
  },
  {
    rule: 'no clock where it is decided',
    path: 'packages/domain/job/x.ts',
    bad: 'const x = Date.now()',
    good: 'const x = new Date(at)',
  },
  {
    rule: 'no date of now where it is decided',
    path: 'services/projections/x.ts',
    bad: 'const x = new Date()',
    good: 'const x = Date.parse(at)',
  },
  {
    rule: 'no timer where it is decided',
    path: 'services/orchestrator/x.ts',
    bad: 'setTimeout(work, 5)',
    goodPath: 'packages/content/media/x.ts',
  },
  {
    rule: 'no timer by another name',
    path: 'packages/jobs/processing/x.ts',
    bad: `import { setTimeout as sleep } from 'node:timers/promises'`,
  },
  {
    rule: 'no chance where it is decided',
    path: 'packages/accounts/ledger/x.ts',
    bad: 'const x = Math.random()',
    good: 'const x = ids.random()',
  },
  {
    rule: 'recordings come from one module',
    path: 'packages/x/x.test.ts',
    bad: `const file = new URL('../../../shared/x.json', import.meta.url)`,
    goodPath: 'test/doubles/recordings.ts',
    good: `const folder = '../shared'`,
  },
  { rule: 'no file of more than 400 lines', path: 'test/x.test.ts', bad: 'x\n'.repeat(401), good: 'x\n'.repeat(400) },
  { rule: 'nothing from outside', path: 'test/x.ts', bad: `// as ${'DESI'}${'GN'} says`, good: '// as the ADR says' },
  {
    rule: 'one dialect of chai',
    path: 'test/x.test.ts',
    bad: 'expect(of(x)).equal(1)',
    good: 'expect(of(x)).to.equal(1)',
  },
  { rule: 'nothing unfinished', path: 'test/x.ts', bad: `// ${'TO'}${'DO'}: later`, good: '// later' },
  {
    rule: 'no empty name of a file',
    path: 'packages/content/media/media-utils.ts',
    bad: '',
    goodPath: 'packages/content/media/probe.ts',
  },
  {
    rule: 'no empty name of a folder',
    path: 'packages/common/x.ts',
    bad: '',
    goodPath: 'packages/commons-log/x.ts',
  },
  {
    rule: 'no test alone',
    path: 'packages/x/x.test.ts',
    bad: `describe.only('x', () => {})`,
    good: `describe('.only', () => {})`,
  },
  {
    rule: 'no variable of a module',
    path: 'packages/x/x.ts',
    bad: 'let count = 0',
    good: 'export function f() {\n  let count = 0\n}',
  },
  {
    rule: 'no variable of a module but the first of a thread',
    path: 'packages/x/x.ts',
    bad: 'let count = 0',
    good: `import { parentPort } from 'node:worker_threads'\nlet count = 0`,
  },
  {
    rule: 'no collection of a module that changes',
    path: 'packages/x/x.ts',
    bad: `const known = new Map()\nexport const keep = (id) => known.set(id, 1)`,
    good: `const known = new Map([['a', 1]])\nexport const find = (id) => known.get(id)`,
  },
  {
    rule: 'no object of a module that changes',
    path: 'packages/x/x.ts',
    bad: 'const counts = {}\nexport const count = (id) => { counts[id] += 1 }',
    good: 'const counts = {}\nexport const isMany = (id) => counts[id] === 7',
  },
  {
    rule: 'no field of an object of a module that changes',
    path: 'packages/x/x.ts',
    bad: 'const state = { count: 0 }\nexport const count = () => state.count++',
    good: 'const state = { count: 0 }\nexport const count = () => state.count + 1',
  },
]

describe('tidy: every rule fails what breaks it', () => {
  for (const { rule, path, bad, goodPath = path, good = goodPath === path ? '' : bad } of cases)
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
