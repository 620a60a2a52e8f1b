import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { MongoConnection } from '#packages/adapters/mongodb/connection.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import { account } from '#packages/ports/accounts-samples.contract.ts'
import { failureOf } from '#packages/ports/event-store-samples.contract.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import type { DataDirectory } from './data-directory.ts'
import { kafkaOptionsOf, type Need, openAccounts, openEngines } from './engines.ts'

const parts = { clock, log: pino({ level: 'silent' }), telemetry: noTelemetry }
const optionsOf = (variables: Record<string, string>) => kafkaOptionsOf(readConfig(variables))

describe('the Kafka connection', () => {
  it('is undefined if no brokers are set', () => {
    expect(optionsOf({ KAFKA_SSL: 'true' })).to.equal(undefined)
  })

  it('is without TLS and without a user by default', () => {
    const options = optionsOf({ KAFKA_BROKERS: 'one:9092,two:9092' })
    expect(options).to.deep.equal({
      brokers: ['one:9092', 'two:9092'],
      tls: false,
      partitions: 8,
      replication: 0,
      prefix: 'video',
    })
  })

  it('has TLS and a user if they are set', () => {
    const user = { KAFKA_USERNAME: 'me', KAFKA_PASSWORD: 'secret', KAFKA_SASL_MECHANISM: 'scram-sha-512' }
    const options = optionsOf({ KAFKA_BROKERS: 'one:9092', KAFKA_SSL: 'true', ...user })
    expect(options).to.deep.include({
      tls: true,
      login: { mechanism: 'scram-sha-512', username: 'me', password: 'secret' },
    })
  })

  it('is refused with only a user or only a password, in a message that shows neither', () => {
    expect(() => optionsOf({ KAFKA_BROKERS: 'one:9092', KAFKA_PASSWORD: 'secret' }))
      .to.throw('set both KAFKA_USERNAME and KAFKA_PASSWORD')
      .and.not.match(/secret/)
    expect(() => optionsOf({ KAFKA_SASL_MECHANISM: 'gssapi' })).to.throw('KAFKA_SASL_MECHANISM')
  })
})

describe('the accounts of the dashboard', () => {
  const folder = directoryForEach()
  const dataDirectory = (): DataDirectory => {
    const { path } = folder
    const file = (name: string) => join(path, name)
    const [events, views, accounts] = ['events.sqlite', 'views.sqlite', 'accounts.sqlite'].map(file)
    return { path, events, views, accounts, media: file('media'), temporary: file('tmp') } as DataDirectory
  }

  it('are in a file if there is no database, and /ready checks them', async () => {
    const data = dataDirectory()
    await using engines = await openEngines(readConfig({}), data, new Set<Need>(['accounts']), parts)
    const made = account()
    await engines.accounts?.create(made)
    await using beside = await openAccounts(data, undefined)
    expect(await beside.byEmail(made.email)).to.deep.equal(made)
    const dependency = engines.dependencies.find(({ name }) => name === 'the database of the accounts')
    expect(await dependency?.look()).to.equal(undefined)
  })

  it('are not opened by a process that does not need them', async () => {
    const data = dataDirectory()
    await using engines = await openEngines(readConfig({}), data, new Set(), parts)
    expect(engines.accounts).to.equal(undefined)
    expect(engines.dependencies.map(({ name }) => name)).to.deep.equal(['the event store'])
    expect(existsSync(data.accounts)).to.equal(false)
  })

  it('are in the database if one is configured, and not in a file', async () => {
    const data = dataDirectory()
    await using mongo = new MongoConnection({ url: 'mongodb://127.0.0.1:9/none', selectionTimeoutMs: 50 })
    await using accounts = await openAccounts(data, mongo)
    expect(await failureOf(accounts.get('mira'))).to.include({ code: 'unreachable' })
    expect(existsSync(data.accounts)).to.equal(false)
  })
})
