import { expect } from 'chai'
import { readConfig } from '#packages/config/config.ts'
import { kafkaOptionsOf } from './engines.ts'

const optionsOf = (variables: Record<string, string>) => kafkaOptionsOf(readConfig(variables))

describe('how Kafka is reached', () => {
  it('is undefined where no brokers are set', () => {
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

  it('is with TLS and a user where they are set', () => {
    const user = { KAFKA_USERNAME: 'me', KAFKA_PASSWORD: 'secret', KAFKA_SASL_MECHANISM: 'scram-sha-512' }
    const options = optionsOf({ KAFKA_BROKERS: 'one:9092', KAFKA_SSL: 'true', ...user })
    expect(options).to.deep.include({
      tls: true,
      login: { mechanism: 'scram-sha-512', username: 'me', password: 'secret' },
    })
  })

  it('is refused with a user without a password or the reverse, in a message that shows neither', () => {
    expect(() => optionsOf({ KAFKA_BROKERS: 'one:9092', KAFKA_PASSWORD: 'secret' }))
      .to.throw('set both KAFKA_USERNAME and KAFKA_PASSWORD')
      .and.not.match(/secret/)
    expect(() => optionsOf({ KAFKA_SASL_MECHANISM: 'gssapi' })).to.throw('KAFKA_SASL_MECHANISM')
  })
})
