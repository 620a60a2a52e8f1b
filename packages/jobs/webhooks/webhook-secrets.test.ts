import { expect } from 'chai'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { memorySecrets } from '#test/doubles/webhooks/memory-secrets.ts'

const HOUR_MS = 3_600_000
const URL_OF = 'https://hooks.example.com/in'

describe('the secrets of webhooks', () => {
  it('sign for a day after they were replaced, however often that happens', async () => {
    const clock = new ManualClock()
    const secrets = memorySecrets(clock)
    const first = await secrets.create('w', 'acme', URL_OF)
    await clock.advance(HOUR_MS)
    const second = await secrets.rotate('w', 'acme')
    await clock.advance(HOUR_MS)
    const third = await secrets.rotate('w', 'acme')
    expect(await secrets.addressOf('w', 'acme')).to.deep.equal({ url: URL_OF, secrets: [third, second, first] })
    await clock.advance(23 * HOUR_MS)
    expect((await secrets.addressOf('w', 'acme'))?.secrets).to.deep.equal([third, second])
    await clock.advance(HOUR_MS)
    expect((await secrets.addressOf('w', 'acme'))?.secrets).to.deep.equal([third])
  })

  it('are all valid once shown, even if several are requested at once and the URL changes', async () => {
    const secrets = memorySecrets(new ManualClock())
    await secrets.create('w', 'acme', URL_OF)
    const shown = await Promise.all([
      secrets.rotate('w', 'acme'),
      secrets.changeUrl('w', 'acme', `${URL_OF}/2`),
      secrets.rotate('w', 'acme'),
    ])
    const address = await secrets.addressOf('w', 'acme')
    expect(address?.url).to.equal(`${URL_OF}/2`)
    expect(address?.secrets).to.include.members([shown[0], shown[2]])
  })

  it('are removed only in the version that was seen', async () => {
    const secrets = memorySecrets(new ManualClock())
    await secrets.putUrl('w', 'acme', URL_OF)
    const remove = await secrets.removalOf('w')
    await secrets.putUrl('w', 'acme', `${URL_OF}/2`)
    await remove()
    expect(await secrets.urlOf('w')).to.equal(`${URL_OF}/2`)
    const removeNewest = await secrets.removalOf('w')
    await removeNewest()
    expect(await secrets.urlOf('w')).to.equal(undefined)
    await (await secrets.removalOf('w'))()
  })

  it('are not changed if they cannot be read', async () => {
    const secrets = memorySecrets(new ManualClock())
    expect(await secrets.changeUrl('w', 'acme', URL_OF)).to.equal(false)
    expect(await secrets.rotate('w', 'acme')).to.equal(undefined)
    expect(await secrets.addressOf('w', 'acme')).to.equal(undefined)
  })
})
