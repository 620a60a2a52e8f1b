import { resolve } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '#packages/foundation/config/config.ts'
import { banner } from './banner.ts'

const shown = (environment: Record<string, string>, more: Partial<Parameters<typeof banner>[0]> = {}) =>
  banner({ config: readConfig(environment), isSandbox: false, dataPath: resolve('./data'), port: 8080, ...more })

describe('the banner', () => {
  it('shows only what is set', () => {
    expect(shown({}))
      .to.contain('http://127.0.0.1:8080')
      .and.to.not.match(/model|egress|speech|DATA_DIR|_URL|PROXY/)
    const set = { LLM_BASE_URL: 'http://llm.example.com', EGRESS_PROXY_TIKTOK: 'http://10.0.0.1:1' }
    expect(shown(set))
      .to.match(/model +gpt-4.1-mini at LLM_BASE_URL\n/)
      .and.to.match(/egress +through EGRESS_PROXY_TIKTOK\n/)
  })

  it('gives an address that opens on this machine', () => {
    expect(shown({ HOST: '0.0.0.0' })).to.contain('http://127.0.0.1:8080')
    expect(shown({ HOST: '::' })).to.contain('http://[::1]:8080')
  })

  it('gives the sign-up link for the first owner if there is one', () => {
    const firstOwner = 'https://video.example.com/dashboard/invitation?token=t'
    expect(shown({}, { firstOwner })).to.contain(firstOwner).and.to.contain('within an hour')
    expect(shown({})).to.not.contain('First owner')
    expect(shown({ DASHBOARD: 'off' })).to.not.contain('dashboard')
  })

  it('advises PUBLIC_URL where others reach the service and it is not set', () => {
    expect(shown({ HOST: '0.0.0.0' })).to.match(/PUBLIC_URL +unset/)
    expect(shown({ HOST: '0.0.0.0', PUBLIC_URL: 'https://video.example.com' })).to.not.contain('PUBLIC_URL')
  })

  it('gives the command as it is run in the container', () => {
    const more = { dataPath: '/data', inContainer: 'docker exec 1f3a' }
    expect(shown({ DATA_DIR: '/data' }, more)).to.contain(
      '  docker exec 1f3a npm run org -- create "My organization"\n',
    )
  })

  it("gives the command that makes a key in this service's data", () => {
    expect(shown({})).to.contain('  npm run org -- create "My organization"\n')
    expect(shown({ DATA_DIR: '/srv/video' }, { dataPath: '/srv/video' })).to.contain(
      '  DATA_DIR=/srv/video npm run org -- create "My organization"\n',
    )
    expect(shown({}, { isSandbox: true, dataPath: resolve('./data/sandbox') })).to.contain(
      '  npm run org -- create "My organization" --sandbox\n',
    )
    expect(shown({}, { isSandbox: true, dataPath: '/srv/video/sandbox' })).to.contain(
      '  DATA_DIR=/srv/video npm run org -- create "My organization" --sandbox\n',
    )
  })
})
