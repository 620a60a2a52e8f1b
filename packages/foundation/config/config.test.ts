import { expect } from 'chai'
import { readConfig, variables } from './config.ts'
import { signUpRuleOf } from './dashboard-rules.ts'
import { ConfigError } from './variable.ts'

describe('the configuration', () => {
  it('has the documented defaults for unset and empty variables', () => {
    const config = readConfig({ PORT: '', HOST: undefined })
    expect(config).to.include({ port: 8080, host: '127.0.0.1', dataDir: './data', jobWindowSeconds: 180 })
    expect(config.speechBaseUrl).to.equal(undefined)
  })

  it('reads values from the environment', () => {
    const config = readConfig({
      PORT: '0',
      JOB_WINDOW_SECONDS: '40',
      EGRESS_PROXY: 'http://me:secret@proxy.example:3128',
    })
    expect(config).to.include({ port: 0, jobWindowSeconds: 40, egressProxy: 'http://me:secret@proxy.example:3128' })
  })

  it('has daily caps only if they are set, and refuses a cap of 0', () => {
    const none = { speechMinutesPerDay: undefined, llmTokensPerDay: undefined }
    expect(readConfig({ SPEECH_MINUTES_PER_DAY: '' })).to.include(none)
    expect(readConfig({ SPEECH_MINUTES_PER_DAY: '600' })).to.include({ ...none, speechMinutesPerDay: 600 })
    for (const bad of ['0', '-1', '1.5', 'many'])
      expect(() => readConfig({ LLM_TOKENS_PER_DAY: bad }), bad).to.throw(ConfigError, 'LLM_TOKENS_PER_DAY')
  })

  it('lets one organization use up a cap unless a share is set', () => {
    expect(readConfig({})).to.include({ capSharePerOrganization: undefined })
    const share = { LLM_TOKENS_PER_DAY: '1000', CAP_SHARE_PER_ORGANIZATION: '0.25' }
    expect(readConfig(share)).to.include({ capSharePerOrganization: 0.25 })
    for (const bad of ['0', '1.1', '-0.5', 'half'])
      expect(() => readConfig({ CAP_SHARE_PER_ORGANIZATION: bad }), bad).to.throw(ConfigError)
  })

  it('keeps everything unless retention days are set, and requires an archive for them', () => {
    expect(readConfig({ EXPORT_DIR: '/archive' })).to.include({ retentionDays: undefined, exportDir: '/archive' })
    expect(readConfig({ RETENTION_DAYS: '90', EXPORT_DIR: '/archive' })).to.include({ retentionDays: 90 })
    expect(() => readConfig({ RETENTION_DAYS: '90' })).to.throw(ConfigError, 'RETENTION_DAYS needs EXPORT_DIR')
    for (const bad of ['0', '-1', '1.5', 'all'])
      expect(() => readConfig({ RETENTION_DAYS: bad, EXPORT_DIR: '/archive' }), bad).to.throw(
        ConfigError,
        'RETENTION_DAYS',
      )
  })

  it('reads a list of brokers', () => {
    expect(readConfig({ KAFKA_BROKERS: 'a.example:9092, b:9093' }).kafkaBrokers).to.deep.equal([
      'a.example:9092',
      'b:9093',
    ])
    expect(() => readConfig({ KAFKA_BROKERS: 'a.example' })).to.throw(ConfigError, 'KAFKA_BROKERS must be host:port')
  })

  it('accepts a public URL that callers may see, with a path and without a slash at its end', () => {
    expect(readConfig({}).publicUrl).to.equal(undefined)
    for (const [given, taken] of Object.entries({
      'https://API.example.com': 'https://api.example.com',
      'http://api.example.com:8080/video/': 'http://api.example.com:8080/video',
    }))
      expect(readConfig({ PUBLIC_URL: given }).publicUrl).to.equal(taken)
    for (const bad of ['api.example.com', 'ftp://a.example', 'https://me:secret@a.example', 'https://a.example/?a=1'])
      expect(() => readConfig({ PUBLIC_URL: bad }), bad).to.throw(ConfigError, 'PUBLIC_URL')
  })

  it('has a default lease that is no longer than a short window', () => {
    expect(readConfig({ JOB_WINDOW_SECONDS: '4' }).leaseSeconds).to.equal(4)
    expect(readConfig({ JOB_WINDOW_SECONDS: '60' }).leaseSeconds).to.equal(30)
    expect(readConfig({ JOB_WINDOW_SECONDS: '60', LEASE_SECONDS: '50' }).leaseSeconds).to.equal(50)
  })

  it('names the variable if its value has another form', () => {
    for (const [variable, value] of Object.entries({
      EVENT_STORE_URL: 'http://me:hidden@host:2113',
      MONGODB_URL: 'host,host/hidden',
      CLIENT_ADDRESS_HEADER: 'X Real: hidden',
      KAFKA_PREFIX: 'hidden topics',
      MAIL_FROM: 'hidden',
      OPERATOR_EMAIL: 'hidden',
      EXAMPLE_URL: 'hidden',
    })) {
      expect(() => readConfig({ [variable]: value }), variable).to.throw(
        ConfigError,
        new RegExp(`^${variable} must be `),
      )
      expect(() => readConfig({ [variable]: value }), variable).to.not.throw(/hidden/)
    }
    const good = {
      EVENT_STORE_URL: 'esdb+discover://me:secret@a.example:2113,b.example:2113?tls=true',
      MONGODB_URL: 'mongodb+srv://me:secret@a.example/video',
      CLIENT_ADDRESS_HEADER: 'X-Real-IP',
      SMTP_URL: 'smtp://mail.example',
      MAIL_FROM: 'Video <video@example.com>',
      OPERATOR_EMAIL: 'me@example.com',
    }
    expect(() => readConfig(good)).to.not.throw()
    expect(readConfig({ ...good, MAIL_FROM: 'video@example.com' }).mailFrom).to.equal('video@example.com')
  })

  it('names every invalid variable, and shows no value', () => {
    const bad = { PORT: 'http', FETCH_SLOTS: '0', LOG_LEVEL: 'loudest', SPEECH_BASE_URL: 'ftp://me:secret@host' }
    expect(() => readConfig(bad)).to.throw(ConfigError, /PORT.*LOG_LEVEL.*FETCH_SLOTS.*SPEECH_BASE_URL/)
    expect(() => readConfig(bad)).to.not.throw(/secret|loudest/)
  })

  it('accepts {session} in the user name, the password and the host of a proxy, and nowhere else', () => {
    const proxies = ['u-{session}:p@a.example:1', 'u:p-{session}@a.example:1', '{session}.a.example:1', 'a.example']
    for (const proxy of proxies.map((rest) => `http://${rest}`))
      expect(readConfig({ EGRESS_PROXY_X: proxy }).egressProxyX).to.equal(proxy)
    for (const proxy of ['socks5://u:p@a.example:1', 'socks5h://u-{session}:p@a.example'])
      expect(readConfig({ EGRESS_PROXY_X: proxy }).egressProxyX).to.equal(proxy)
    const bad = [
      'https://a.example:1',
      'socks4://a.example:1',
      'socks5://a.example:{session}',
      'http://a.example:{session}',
      'http://a.example:1/{session}',
      'a.example:1',
      'http://u:%zz@a.example',
    ]
    for (const proxy of bad)
      expect(() => readConfig({ EGRESS_PROXY_X: proxy }), proxy).to.throw(ConfigError, /^EGRESS_PROXY_X must be http:/)
  })

  it('requires a country if a proxy has a placeholder for it', () => {
    const proxy = 'http://u-{country}:p@a.example:1'
    for (const variable of ['EGRESS_PROXY', 'EGRESS_PROXY_X'])
      expect(() => readConfig({ [variable]: proxy })).to.throw(ConfigError, `${variable} has {country}`)
    expect(readConfig({ EGRESS_PROXY: proxy, EGRESS_COUNTRY: 'us' }).egressCountry).to.equal('us')
    expect(readConfig({ EGRESS_PROXY_X: proxy, EGRESS_COUNTRY_X: 'DE' }).egressCountryX).to.equal('DE')
    expect(() => readConfig({ EGRESS_COUNTRY: 'Germany' })).to.throw(ConfigError, 'two letters')
  })

  describe('of the dashboard', () => {
    const mails = { SMTP_URL: 'smtp://me:secret@mail.example:587', MAIL_FROM: 'us@example.com' }
    const oidc = { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'us', OIDC_CLIENT_SECRET: 'secret' }
    const publicly = { HOST: '0.0.0.0', PUBLIC_URL: 'https://api.example.com' }

    it('lets anybody sign up only on a local machine, unless configured otherwise', () => {
      expect(signUpRuleOf(readConfig({}))).to.equal('open')
      expect(signUpRuleOf(readConfig({ HOST: '::1', SIGNUP: 'closed' }))).to.equal('closed')
      expect(signUpRuleOf(readConfig({ HOST: '0.0.0.0' }))).to.equal('invited')
      expect(signUpRuleOf(readConfig({ ...publicly, ...mails, SIGNUP: 'open' }))).to.equal('open')
    })

    it('does not allow open sign-up if a proxy on this machine lets others in', () => {
      expect(signUpRuleOf(readConfig({ PUBLIC_URL: 'https://api.example.com' }))).to.equal('invited')
      for (const url of ['http://localhost:8080', 'http://[::1]:8080'])
        expect(signUpRuleOf(readConfig({ PUBLIC_URL: url })), url).to.equal('open')
    })

    it('accepts variables that go together, and all of them without a dashboard', () => {
      for (const good of [{}, mails, oidc, { ...publicly, ...mails, ...oidc, SIGNUP: 'open' }, publicly])
        expect(() => readConfig(good), JSON.stringify(good)).to.not.throw()
      expect(() => readConfig({ DASHBOARD: 'off', HOST: '0.0.0.0', SIGNUP: 'open' })).to.not.throw()
    })

    const bad: [string, RegExp, Record<string, string>][] = [
      ['an open sign-up without mails', /SIGNUP=open needs SMTP_URL/, { ...publicly, SIGNUP: 'open' }],
      [
        'an open sign-up behind a proxy without mails',
        /SIGNUP=open needs SMTP_URL/,
        { PUBLIC_URL: publicly.PUBLIC_URL, SIGNUP: 'open' },
      ],
      ['a server of mails without a sender', /SMTP_URL and MAIL_FROM/, { SMTP_URL: mails.SMTP_URL }],
      ['a sender without a server of mails', /SMTP_URL and MAIL_FROM/, { MAIL_FROM: mails.MAIL_FROM }],
      ['mails that lead nowhere', /SMTP_URL needs PUBLIC_URL/, { HOST: '0.0.0.0', ...mails }],
      ['a provider without its secret', /OIDC_CLIENT_SECRET/, { ...oidc, OIDC_CLIENT_SECRET: '' }],
      ['a provider that sends people nowhere', /OIDC_ISSUER needs PUBLIC_URL/, { HOST: '0.0.0.0', ...oidc }],
      ['a provider without TLS', /OIDC_ISSUER must be https/, { ...oidc, OIDC_ISSUER: 'http://id.example.com' }],
      ['what is no server of mails', /SMTP_URL must be smtp/, { ...mails, SMTP_URL: 'https://me:secret@mail.example' }],
    ]
    for (const [what, message, environment] of bad)
      it(`refuses ${what}, and shows no value`, () => {
        expect(() => readConfig(environment)).to.throw(ConfigError, message)
        expect(() => readConfig(environment)).to.not.throw(/secret@|us@example/)
      })
  })

  it('names each variable once', () => {
    const names = Object.values(variables).map(({ variable }) => variable)
    expect(new Set(names).size).to.equal(names.length).and.to.be.greaterThan(10)
  })
})
