/**
 * The service rebuilds views that are damaged, replaced or lost. Meanwhile no answer is wrong or older than an earlier
 * one, and `/ready` reports the rebuild.
 */
import { expect } from 'chai'
import { openedForAll } from '#test/doubles/opened.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import {
  assertHealed,
  assertStartsDespite,
  assertSurvives,
  garbage,
  middle,
  overwrite,
  startViewsHarness,
  warnings,
} from '#test/doubles/service/views.harness.ts'

const damage = async (path: string) => overwrite(path, await middle(path), garbage)

describe('when twenty kilobytes in the middle of the views are overwritten', function () {
  this.timeout(240_000)
  if (startScript !== 'start') return

  const on = openedForAll(() => startViewsHarness())

  it('while it is stopped, the service starts, also a second time, and gives the same answers as before', async () => {
    const { service } = on.setting
    await assertStartsDespite(on, damage)
    expect(warnings(on)).to.be.greaterThan(1)
    await service.end('SIGTERM')
    await service.start()
    await assertHealed(on)
  })

  it('while it runs, the service notices, and gives the same answers as before', () => assertSurvives(on, damage))
})
