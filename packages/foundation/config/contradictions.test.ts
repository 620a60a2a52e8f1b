import { expect } from 'chai'
import { readConfig } from './config.ts'
import { ConfigError } from './variable.ts'

/** Each set is valid without the last variable, or with the value in `right`. */
const pairs: readonly {
  what: string
  named: string[]
  given: Record<string, string>
  right: Record<string, string>
}[] = [
  {
    what: 'a lease that is longer than the window',
    named: ['LEASE_SECONDS', 'JOB_WINDOW_SECONDS'],
    given: { LEASE_SECONDS: '61', JOB_WINDOW_SECONDS: '60' },
    right: { LEASE_SECONDS: '60' },
  },
  {
    what: 'a user of the brokers without a password',
    named: ['KAFKA_USERNAME', 'KAFKA_PASSWORD'],
    given: { KAFKA_BROKERS: 'a:1', KAFKA_USERNAME: 'hidden' },
    right: { KAFKA_PASSWORD: 'hidden' },
  },
  {
    what: 'a password of the brokers without a user',
    named: ['KAFKA_USERNAME', 'KAFKA_PASSWORD'],
    given: { KAFKA_BROKERS: 'a:1', KAFKA_PASSWORD: 'hidden' },
    right: { KAFKA_USERNAME: 'hidden' },
  },
  {
    what: 'a user of brokers that are not named',
    named: ['KAFKA_USERNAME', 'KAFKA_BROKERS'],
    given: { KAFKA_USERNAME: 'hidden', KAFKA_PASSWORD: 'hidden' },
    right: { KAFKA_BROKERS: 'a:1' },
  },
  {
    what: 'a sender without a server of mails, also without a dashboard',
    named: ['SMTP_URL', 'MAIL_FROM'],
    given: { DASHBOARD: 'off', MAIL_FROM: 'hidden@example.com' },
    right: { SMTP_URL: 'smtp://mail.example' },
  },
  {
    what: 'a key of a model without its endpoint',
    named: ['LLM_API_KEY', 'LLM_BASE_URL'],
    given: { LLM_API_KEY: 'hidden' },
    right: { LLM_BASE_URL: 'https://llm.example' },
  },
  {
    what: 'a key of speech-to-text without its endpoint',
    named: ['SPEECH_API_KEY', 'SPEECH_BASE_URL'],
    given: { SPEECH_API_KEY: 'hidden' },
    right: { SPEECH_BASE_URL: 'https://speech.example' },
  },
  {
    what: 'a retention without an archive',
    named: ['RETENTION_DAYS', 'EXPORT_DIR'],
    given: { RETENTION_DAYS: '30' },
    right: { EXPORT_DIR: '/archive' },
  },
  {
    what: 'a share of no cap',
    named: ['CAP_SHARE_PER_ORGANIZATION', 'SPEECH_MINUTES_PER_DAY', 'LLM_TOKENS_PER_DAY'],
    given: { CAP_SHARE_PER_ORGANIZATION: '0.5' },
    right: { SPEECH_MINUTES_PER_DAY: '60' },
  },
  {
    what: 'lines that are exported nowhere',
    named: ['OTEL_LOGS_EXPORTER', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT'],
    given: { OTEL_LOGS_EXPORTER: 'otlp' },
    right: { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://collector:4318/v1/logs' },
  },
  {
    what: 'a file of media that the cache cannot hold',
    named: ['MEDIA_MAX_BYTES', 'MEDIA_CACHE_BYTES'],
    given: { MEDIA_CACHE_BYTES: '999999999' },
    right: { MEDIA_MAX_BYTES: '999999999' },
  },
  {
    what: 'two servers at one port',
    named: ['METRICS_PORT', 'PORT', 'SERVICE_PORT'],
    given: { METRICS_PORT: '9000', PORT: '9000' },
    right: { METRICS_PORT: '9001' },
  },
  {
    what: 'metrics for everybody',
    named: ['METRICS_PORT', 'METRICS_TOKEN', 'METRICS_HOST'],
    given: { METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' },
    right: { METRICS_TOKEN: 'hidden' },
  },
  {
    what: 'metrics of an SDK that is switched off',
    named: ['METRICS_PORT', 'OTEL_SDK_DISABLED'],
    given: { METRICS_PORT: '9464', OTEL_SDK_DISABLED: 'true' },
    right: { OTEL_SDK_DISABLED: 'false' },
  },
]

describe('the configuration refuses contradictory values', () => {
  for (const { what, named, given, right } of pairs)
    it(`${what}: names ${named.join(', ')}, shows no value`, () => {
      expect(() => readConfig(given))
        .to.throw(ConfigError)
        .with.property('message')
        .that.includes(named[0])
      for (const name of named) expect(() => readConfig(given)).to.throw(ConfigError, new RegExp(`\\b${name}\\b`))
      expect(() => readConfig(given)).to.not.throw(/hidden/)
      expect(() => readConfig({ ...given, ...right })).to.not.throw()
    })

  it('names all of them at once', () => {
    const given = { LLM_API_KEY: 'hidden', LEASE_SECONDS: '200', MAIL_FROM: 'us@example.com' }
    expect(() => readConfig(given)).to.throw(ConfigError, /LEASE_SECONDS.*SMTP_URL.*LLM_API_KEY/)
  })
})
