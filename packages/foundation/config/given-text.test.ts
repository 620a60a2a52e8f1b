import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { readConfig, variables } from './config.ts'
import { showHeadersToTheSdk } from './telemetry-variables.ts'
import { ConfigError } from './variable.ts'

const secrets = Object.values(variables).filter(({ isSecret }) => isSecret)

/** A valid value for each secret, and the variables that have to be set with it. */
const sampleOf = (variable: string): string =>
  ({
    SMTP_URL: 'smtp://me:hidden@mail.example:587',
    EVENT_STORE_URL: 'esdb://me:hidden@events.example:2113',
    MONGODB_URL: 'mongodb://me:hidden@one.example,two.example/video',
    SECRETS_KEY: 'ab'.repeat(32),
  })[variable] ?? (variable.startsWith('EGRESS_PROXY') ? 'http://me:hidden@proxy.example:3128' : 'hidden')
const companions: Readonly<Record<string, string>> = {
  KAFKA_BROKERS: 'a:9092',
  KAFKA_USERNAME: 'me',
  KAFKA_PASSWORD: 'other',
  LLM_BASE_URL: 'https://llm.example',
  SPEECH_BASE_URL: 'https://speech.example',
  SMTP_URL: 'smtp://other@mail.example',
  MAIL_FROM: 'us@example.com',
  OIDC_ISSUER: 'https://id.example',
  OIDC_CLIENT_ID: 'us',
  OIDC_CLIENT_SECRET: 'other',
}

describe('a secret', () => {
  const folder = directoryForEach()
  let file: string
  beforeEach(() => {
    file = join(folder.path, 'secret')
  })

  it('is each variable that may contain one', () => {
    const named = Object.values(variables).filter(
      ({ variable, meaning }) =>
        /_(KEY|PASSWORD|SECRET|TOKEN|HEADERS)$/.test(variable) || /:\/\/\[?user:pass/.test(meaning),
    )
    expect(named).to.have.length.above(10)
    expect(named.filter(({ isSecret }) => isSecret !== true)).to.deep.equal([])
  })

  for (const variable of secrets.map(({ variable }) => variable as string))
    it(`may be in a file, without the end of its line: ${variable}`, () => {
      writeFileSync(file, `${sampleOf(variable)}\n`)
      const others = { ...companions, [variable]: '' }
      const read = readConfig({ ...others, [`${variable}_FILE`]: file })
      expect(read).to.deep.equal(readConfig({ ...others, [variable]: sampleOf(variable) }))
      expect(JSON.stringify(read)).to.contain(sampleOf(variable))
      expect(() => readConfig({ ...companions, [variable]: sampleOf(variable), [`${variable}_FILE`]: file })).to.throw(
        ConfigError,
        `set ${variable} or ${variable}_FILE, and not both`,
      )
    })

  it('in an unreadable file is named, without the path', () => {
    writeFileSync(join(folder.path, 'empty'), ' \n')
    mkdirSync(join(folder.path, 'folder'))
    for (const [name, why] of [
      ['none', 'cannot be read (ENOENT)'],
      ['empty', 'is empty'],
      ['folder', 'cannot be read (EISDIR)'],
    ] as const)
      expect(() => readConfig({ BRAVE_API_KEY_FILE: join(folder.path, name) }), name).to.throw(
        ConfigError,
        `BRAVE_API_KEY_FILE names a file that ${why}`,
      )
  })

  it('with an invalid value is named by its variable, and not shown', () => {
    writeFileSync(file, 'ftp://me:hidden@mail.example')
    chmodSync(file, 0o600)
    expect(() => readConfig({ SMTP_URL_FILE: file, MAIL_FROM: 'us@example.com' })).to.throw(
      /^SMTP_URL must be(?!.*hidden)/,
    )
  })

  it('is the only kind of variable that may be in a file', () => {
    expect(readConfig({ LLM_MODEL_FILE: join(folder.path, 'none') }).llmModel).to.equal(variables.llmModel.fallback)
  })

  it('of the exporters reaches them, although they cannot read files', () => {
    writeFileSync(file, 'authorization=Bearer%20hidden\n')
    const environment = { OTEL_EXPORTER_OTLP_HEADERS_FILE: file, OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'a=b' }
    showHeadersToTheSdk(readConfig(environment), environment)
    expect(environment).to.deep.equal({
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hidden',
      OTEL_EXPORTER_OTLP_LOGS_HEADERS: 'a=b',
    })
  })
})
