/** No request holds the event loop for long. Here is the heaviest request that each route's limits let through. */
import { expect } from 'chai'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import type { Answer } from '#test/doubles/service/client.ts'
import { heldWhile } from '#test/doubles/service/loop-watch.ts'
import { documentedRoutes, heaviest } from '#test/worst-requests/heaviest.ts'
import { holdingsOf, startHeavySetting } from '#test/worst-requests/heavy-setting.ts'

describe('the worst request of each route', function () {
  this.timeout(300_000)
  const setting = openedForAll(() => startHeavySetting())
  const me = madeForAll(() => setting.client({ plan: 'pro' }))
  const held = madeForAll(() => holdingsOf(setting, me))

  it('is known for every route in the OpenAPI document', () =>
    expect(Object.keys(heaviest)).to.have.members(documentedRoutes))

  for (const [route, heavy] of Object.entries(heaviest))
    it(`of ${route} does not hold the event loop`, async () => {
      const [method = ''] = route.split(' ')
      const send = async (): Promise<void> => {
        for (const { path, body, headers } of heavy(held)) {
          const { status, text }: Answer = await me.call(method.toUpperCase(), path, body ?? null, headers)
          expect(status, `${path.slice(0, 80)} ${text.slice(0, 300)}`).to.not.be.oneOf([401, 405, 429, 431, 500])
          // The answer names every invalid line of a batch.
          const most = path === '/v1/batches' ? 400_000 : 16_000
          if (status >= 400) expect(text.length, 'an Error object').to.be.below(most)
        }
      }
      const first = await heldWhile(setting, me, send)
      // Measures again, because the same work takes longer on a busy machine.
      expect(first.length === 0 ? first : await heldWhile(setting, me, send)).to.deep.equal([])
    })
})
