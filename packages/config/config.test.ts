import { expect } from 'chai'
import { readConfig, settings } from './config.ts'
import { ConfigError } from './settings.ts'

describe('the configuration', () => {
  it('has the documented defaults where nothing is set, or set to nothing', () => {
    const config = readConfig({ PORT: '', HOST: undefined })
    expect(config).to.include({ port: 8080, host: '127.0.0.1', dataDir: './data', jobWindowSeconds: 180 })
    expect(config.speechBaseUrl).to.equal(undefined)
  })

  it('takes what the environment says', () => {
    const config = readConfig({
      PORT: '0',
      JOB_WINDOW_SECONDS: '4',
      EGRESS_PROXY: 'http://me:secret@proxy.example:3128',
    })
    expect(config).to.include({ port: 0, jobWindowSeconds: 4, egressProxy: 'http://me:secret@proxy.example:3128' })
  })

  it('names every variable that cannot be used, and shows no value', () => {
    const bad = { PORT: 'http', FETCH_SLOTS: '0', LOG_LEVEL: 'loudest', SPEECH_BASE_URL: 'ftp://me:secret@host' }
    expect(() => readConfig(bad)).to.throw(ConfigError, /PORT.*LOG_LEVEL.*FETCH_SLOTS.*SPEECH_BASE_URL/)
    expect(() => readConfig(bad)).not.to.throw(/secret|loudest/)
  })

  it('names each variable once', () => {
    const names = Object.values(settings).map(({ variable }) => variable)
    expect(new Set(names).size).to.equal(names.length).and.to.be.greaterThan(10)
  })
})
