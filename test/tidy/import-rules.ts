import { join } from 'node:path/posix'
import type { Import, SourceFile } from './source-file.ts'

/** A rule returns what is wrong with a file; nothing if it is right. */
export type Rule = { name: string; check(file: SourceFile): string[] }

/** Tests, fixtures and harnesses: they may import what they need. */
export const isTest = (path: string): boolean =>
  path.startsWith('test/') || /\.(test|contract|fixture|harness)\.ts$/.test(path)

/** Entry points of processes, examples for readers among them: they read the environment and decide the exit status. */
export const isEntry = (path: string): boolean =>
  path === 'packages/cli/main.ts' ||
  path === 'services/ingress/routes/docs/quickstart/typescript.mts' ||
  /^services\/[^/]+\/main\.ts$/.test(path) ||
  /^ops\/([^/]+\/main\.ts|runtime\.mjs)$/.test(path)

/** Files that wire parts together. */
const isWiring = (path: string): boolean => isEntry(path) || /^(services\/host|ops)\//.test(path)

/** The client libraries of each adapter. Other files must not import them. */
const clientsOf: Readonly<Record<string, readonly string[]>> = {
  memory: ['rate-limiter-flexible'],
  sqlite: ['node:sqlite'],
  // With the package whose messages are part of the client's.
  eventstoredb: ['@eventstore/db-client', 'google-protobuf'],
  kafka: ['kafkajs'],
  mongodb: ['mongodb', 'rate-limiter-flexible'],
  smtp: ['nodemailer'],
}
const clients = new Set(Object.values(clientsOf).flat())

/** The imports that the files of a folder may have. The first entry that fits counts. */
const mayImport: readonly { room: RegExp; from: RegExp; modules: (module: string) => boolean }[] = [
  { room: /^contracts\//, from: /^contracts\//, modules: () => false },
  { room: /^packages\/event-sourcing\//, from: /^(contracts|packages\/event-sourcing)\//, modules: () => false },
  { room: /^packages\/domain\//, from: /^(contracts|packages\/(event-sourcing|domain))\//, modules: () => false },
  // Ids are hashes (uuidv5 of SHA-256): part of what the Ids port promises.
  {
    room: /^packages\/ports\//,
    from: /^(contracts|packages\/(event-sourcing|domain|ports))\//,
    modules: (module) => module === 'node:crypto',
  },
  {
    room: /^packages\/events\/format\//,
    from: /^(contracts|packages\/(event-sourcing|domain|ports|events\/format))\//,
    modules: (module) => module.startsWith('node:'),
  },
  {
    room: /^packages\/adapters\//,
    from: /^(contracts|packages\/(event-sourcing|domain|ports|events\/format|foundation\/concurrency|adapters))\//,
    modules: (module) => module === 'lru-cache' || module.startsWith('node:'),
  },
  // Decorators that trace are beside what they decorate. Those of ports are here, because ports know no telemetry.
  {
    room: /^packages\/telemetry\//,
    from: /^(contracts|packages\/(ports|foundation\/printable|telemetry))\//,
    modules: (module) => module !== 'express',
  },
  // A program of its own, which users install: the client, and the tool server as the service has it.
  {
    room: /^packages\/cli\//,
    from: /^(contracts|packages\/(cli|client|foundation|telemetry)|services\/mcp)\//,
    modules: (module) => module !== 'express',
  },
  // Packages that surfaces call know no HTTP, because every surface calls the same ones.
  { room: /^packages\//, from: /^(contracts|packages)\/(?!adapters\/)/, modules: (module) => module !== 'express' },
]

/** Files that import a library of hundreds of files, which takes as long to load as all the rest of a service. */
const loadedLate = new Set(['packages/platforms/youtube/innertube.ts'])

const moduleName = (to: Import): string | undefined =>
  to.kind === 'node' || to.kind === 'package' ? to.name : undefined

const nameOf = (to: Import): string => (to.kind === 'file' ? to.path : (moduleName(to) ?? 'something computed'))

const complaints = (file: SourceFile, wrong: (to: Import) => boolean): string[] =>
  file.imports.filter(wrong).map((to) => `imports ${nameOf(to)}`)

/** The folder of a service or an adapter that contains a path. */
const folder = (path: string, parent: string): string | undefined =>
  path.startsWith(`${parent}/`) && path.split('/').length > parent.split('/').length + 1
    ? path.split('/')[parent.split('/').length]
    : undefined

export const importRules: readonly Rule[] = [
  {
    name: 'contracts, domain, ports, adapters and packages import only the folders below them',
    check(file) {
      const rule = isTest(file.path) ? undefined : mayImport.find(({ room }) => room.test(file.path))
      if (!rule) return []
      const own = clientsOf[folder(file.path, 'packages/adapters') ?? ''] ?? []
      return complaints(file, (to) => {
        const name = moduleName(to)
        return to.kind === 'file'
          ? !rule.from.test(to.path)
          : name !== undefined && !own.includes(name) && !rule.modules(name)
      })
    },
  },
  {
    name: 'an adapter imports no other adapter, and no other code imports its client libraries',
    check(file) {
      if (isTest(file.path)) return []
      const adapter = folder(file.path, 'packages/adapters')
      return complaints(file, (to) => {
        const name = moduleName(to)
        if (name !== undefined) return clients.has(name) && !clientsOf[adapter ?? '']?.includes(name)
        const other = to.kind === 'file' ? folder(to.path, 'packages/adapters') : undefined
        return file.path.startsWith('packages/adapters/') && other !== undefined && other !== adapter
      })
    },
  },
  {
    name: 'only wiring imports adapters or another service',
    check(file) {
      if (isTest(file.path) || isWiring(file.path) || !file.path.startsWith('services/')) return []
      const service = folder(file.path, 'services')
      return complaints(
        file,
        (to) =>
          to.kind === 'file' &&
          (to.path.startsWith('packages/adapters/') ||
            (to.path.startsWith('services/') && folder(to.path, 'services') !== service)),
      )
    },
  },
  {
    name: 'nothing imports ops/, nothing but `npm start -- --sandbox` and ops/ the sandbox, and nothing but tests (and the demo its outside world) test/',
    check(file) {
      const demo = file.path.startsWith('ops/demo/')
      return complaints(file, (to) => {
        if (to.kind !== 'file' || isTest(file.path)) return false
        if (to.path.startsWith('ops/')) return !file.path.startsWith('ops/')
        if (to.path.startsWith('services/sandbox/'))
          return !/^(ops|services\/sandbox)\/|^services\/host\/sandbox\.ts$/.test(file.path)
        return isTest(to.path) && !(demo && to.path.startsWith('test/doubles/'))
      })
    },
  },
  {
    name: 'a file with a large library is loaded at its first use: by import(), or as a type',
    check: (file) =>
      isTest(file.path)
        ? []
        : [...file.source.matchAll(/^(?:import|export) (?!type\b)[^'"]*from '(\.[^']+)'/gm)]
            .map(([, path = '']) => join(file.path, '..', path))
            .filter((path) => loadedLate.has(path))
            .map((path) => `loads ${path} with every start`),
  },
  {
    name: 'an import names its module in plain text, unless the file is named on the command line',
    check: (file) =>
      isTest(file.path) || file.path === 'ops/history/load-module.ts'
        ? []
        : complaints(file, (to) => to.kind === 'computed'),
  },
]
