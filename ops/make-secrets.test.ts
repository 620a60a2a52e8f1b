import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { readConfig } from '#packages/foundation/config/config.ts'
import { keyOf } from '#packages/foundation/secrets/secrets-key.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'

const run = promisify(execFile)
const makeSecrets = (folder: string) => run('ops/make-secrets', [folder])

describe('ops/make-secrets', function () {
  this.timeout(60_000)
  const directory = directoryForAll()
  let folder: string
  before(async () => {
    folder = directory.path
    writeFileSync(join(folder, '.env'), 'LLM_MODEL=mine')
    await makeSecrets(folder)
  })

  const secret = (name: string): string => readFileSync(join(folder, 'secrets', name), 'utf8')
  const env = (): string => readFileSync(join(folder, '.env'), 'utf8')

  it('makes a separate password for each account, and keeps existing lines', () => {
    const lines = env().trim().split('\n')
    expect(lines[0]).to.equal('LLM_MODEL=mine')
    const passwords = lines.slice(1).map((line) => /^[A-Z_]+_PASSWORD=([0-9a-f]{48})$/.exec(line)?.[1])
    expect(new Set(passwords).size).to.equal(6)
    expect(passwords).to.not.include(undefined)
  })

  it('makes certificates signed by its own authority, each for its host', () => {
    const authority = new X509Certificate(secret('ca.crt'))
    for (const host of ['eventstoredb', 'kafka-1', 'kafka-2', 'kafka-3']) {
      const certificate = new X509Certificate(secret(`${host}.crt`))
      expect(certificate.verify(authority.publicKey), host).to.equal(true)
      expect([certificate.checkHost(host), certificate.ca]).to.deep.equal([host, false])
      expect(secret(`${host}.key`)).to.match(/^-----BEGIN PRIVATE KEY-----/)
    }
    expect(new X509Certificate(secret('eventstoredb.crt')).subject).to.equal('CN=eventstoredb-node')
  })

  it('makes a sealing key, in the form of SECRETS_KEY_FILE', () => {
    const { secretsKey = '' } = readConfig({ SECRETS_KEY_FILE: join(folder, 'secrets', 'secrets-key') })
    expect(keyOf(secretsKey, 'SECRETS_KEY')).to.have.length(32)
  })

  it('makes the files with passwords that the services read', () => {
    const [events = '', queue = '', views = ''] = ['EVENTS', 'QUEUE', 'VIEWS'].map(
      (name) => new RegExp(`^${name}_PASSWORD=(.+)$`, 'm').exec(env())?.[1],
    )
    expect(secret('event-store-url')).to.equal(
      `esdb://video:${events}@eventstoredb:2113?tls=true&tlsCAFile=/run/secrets/ca\n`,
    )
    expect(secret('queue-password')).to.equal(`${queue}\n`)
    expect(secret('views-url')).to.equal(`mongodb://video:${views}@mongo:27017/video?replicaSet=rs0\n`)
    expect(secret('queue-user.properties')).to.contain(`password=${queue}]`)
    expect(secret('metrics-token')).to.match(/^[0-9a-f]{64}\n$/)
  })

  it('makes them readable only for their owner', () => {
    const modeOf = (path: string): string => (statSync(join(folder, path)).mode & 0o777).toString(8)
    expect([modeOf('.env'), modeOf('secrets'), modeOf('secrets/ca.key')]).to.deep.equal(['600', '700', '600'])
  })

  it('keeps existing files, and makes the missing ones', async () => {
    const before = readdirSync(join(folder, 'secrets')).map((name) => [name, secret(name)])
    const [environment, broker] = [env(), secret('kafka-2.pem')]
    expect((await makeSecrets(folder)).stdout).to.equal('')
    expect(readdirSync(join(folder, 'secrets')).map((name) => [name, secret(name)])).to.deep.equal(before)
    expect(env()).to.equal(environment)
    for (const name of ['kafka-2.key', 'mongo.key']) rmSync(join(folder, 'secrets', name))
    const renewed = environment.replace(/^VIEWS_PASSWORD=.*$/m, 'VIEWS_PASSWORD=renewed')
    writeFileSync(join(folder, '.env'), renewed)
    await makeSecrets(folder)
    expect(secret('kafka-2.pem'))
      .to.equal(secret('kafka-2.key') + secret('kafka-2.crt'))
      .and.not.equal(broker)
    expect(secret('mongo.key')).to.have.length.above(900)
    expect(secret('views-url')).to.contain(':renewed@')
  })
})
