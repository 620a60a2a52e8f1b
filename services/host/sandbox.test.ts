import { expect } from 'chai'
import { platformPace } from '#packages/config/config.ts'
import { platformNames } from '#packages/platforms/registry.ts'
import { withSandbox } from './sandbox.ts'

describe('--sandbox', () => {
  it('reads no platform by turns, but those whose pace a developer has set', async () => {
    await using world = await withSandbox({ PACE_INSTAGRAM: '2' }, ['--sandbox'])
    const paces = platformNames.map((name) => [name, world.config[platformPace(name)]])
    expect(Object.fromEntries(paces)).to.deep.equal({ youtube: 0, tiktok: 0, instagram: 2, x: 0, facebook: 0 })
  })
})
