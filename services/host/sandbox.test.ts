import { expect } from 'chai'
import { platformPace } from '#packages/foundation/config/config.ts'
import { platformNames } from '#packages/platforms/registry.ts'
import { withSandbox } from './sandbox.ts'

describe('--sandbox', () => {
  it('paces no platform, unless a developer has set a pace', async () => {
    await using world = await withSandbox({ PACE_INSTAGRAM: '2' }, ['--sandbox'])
    const paces = platformNames.map((name) => [name, world.config[platformPace(name)]])
    expect(Object.fromEntries(paces)).to.deep.equal({ youtube: 0, tiktok: 0, instagram: 2, x: 0, facebook: 0 })
  })

  it('has its own speech endpoint if one is wanted and none is given, and a model', async () => {
    await using own = await withSandbox({ SPEECH_ENGINE: 'endpoint' }, ['--sandbox'])
    expect(own.config.speechBaseUrl)
      .to.match(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
      .and.equal(own.config.llmBaseUrl)
    const given = { SPEECH_ENGINE: 'endpoint', SPEECH_BASE_URL: 'https://speech.example.com/v1' }
    await using other = await withSandbox(given, ['--sandbox'])
    expect(other.config.speechBaseUrl).to.equal(given.SPEECH_BASE_URL)
    await using without = await withSandbox({}, ['--sandbox'])
    expect(without.config.speechBaseUrl).to.equal(undefined)
  })
})
