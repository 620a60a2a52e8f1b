/**
 * `npm run test:mongodb [-- FILE…]`: the contract suites of MongoDB's adapter, or other test files, on SecantusDB,
 * which `ops/setup --dev` installs. It is a second server for MongoDB's protocol (one member of a replica set, on
 * WiredTiger). Tests that count anything do not run on it, because it answers null to some upserts that race. Exits 1
 * if a test fails, 2 if SecantusDB is not installed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { freePorts } from '#ops/local-engines/ports.ts'
import { MongoConnection } from '#packages/adapters/mongodb/connection.ts'
import { until } from '#test/doubles/service/until.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'

const PACKAGES = resolve('.secantus')
const START_SECONDS = 30

/**
 * The tests of `packages/adapters/mongodb` that hold for any server of this protocol: they do not count its calls, and
 * do not test a peculiarity of one server.
 */
const contractSuites = ['views', 'views-reader', 'accounts'].map(
  (name) => `packages/adapters/mongodb/${name}.engines.test.ts`,
)

/**
 * These tests make so many calls at once that a server in Python takes longer than a call may last on a busy machine.
 */
const tooMany = ['--invert', '--grep', 'a thousand documents|many waiters']

async function isReady(url: string): Promise<boolean> {
  await using connection = new MongoConnection({ url, selectionTimeoutMs: 1000 })
  return await connection.ping().then(
    () => true,
    () => false,
  )
}

async function exitOf(child: ChildProcess): Promise<number> {
  const [code] = await once(child, 'exit')
  return code ?? 1
}

async function main(words: readonly string[]): Promise<number> {
  if (!existsSync(join(PACKAGES, 'secantus'))) {
    console.error('SecantusDB is not installed. Please run: ops/setup --dev')
    return 2
  }
  await using directory = await temporaryDirectory()
  const [port] = await freePorts(1)
  const options = [
    '--host',
    '127.0.0.1',
    '--port',
    `${port}`,
    '--storage-path',
    join(directory.path, 'data'),
    '--log-level',
    'ERROR',
  ]
  const server = spawn(resolve('.venv/bin/python'), ['-m', 'secantus', ...options], {
    env: { ...process.env, PYTHONPATH: PACKAGES },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = exitOf(server)
  const url = `mongodb://127.0.0.1:${port}/?replicaSet=secantus`
  try {
    const answers = () => {
      if (server.exitCode !== null) throw new Error('SecantusDB does not start')
      return isReady(url)
    }
    await until('SecantusDB answers', answers, { seconds: START_SECONDS })
    const mocha = [resolve('node_modules/mocha/bin/mocha.js'), '--reporter', 'dot', ...words]
    const env = { ...process.env, MONGODB_URL: url }
    return await exitOf(spawn(process.execPath, mocha, { env, stdio: 'inherit' }))
  } finally {
    server.kill()
    await ended
  }
}

const given = process.argv.slice(2)
process.exitCode = await main(given.length > 0 ? given : [...contractSuites, ...tooMany])
