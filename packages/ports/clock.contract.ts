import { expect } from 'chai'
import type { Clock } from './clock.ts'

/** Checks the promises of a Clock that advances by itself. */
export function describeClock(name: string, clock: Clock): void {
  describe(`${name} keeps the promises of Clock`, () => {
    it('gives milliseconds since 1970', () => {
      const before = Date.now()
      expect(clock.now()).to.be.within(before, Date.now())
    })

    it('sleeps for the given time', async () => {
      const start = performance.now()
      await clock.sleep(200)
      // A timer counts from the beginning of its turn of the event loop.
      expect(performance.now() - start).to.be.at.least(100)
    })

    it('throws the reason of a signal that was aborted before the sleep, or during it', async () => {
      const reason = new Error('awake')
      const reasonOf = (sleep: Promise<void>): Promise<unknown> => sleep.catch((error: unknown) => error)
      expect(await reasonOf(clock.sleep(60_000, AbortSignal.abort(reason)))).to.equal(reason)
      const controller = new AbortController()
      const sleeping = reasonOf(clock.sleep(60_000, controller.signal))
      controller.abort(reason)
      expect(await sleeping).to.equal(reason)
    })

    it('does not end a very long sleep at once', async () => {
      const controller = new AbortController()
      let ended = false
      const sleeping = clock.sleep(2 ** 40, controller.signal).then(
        () => {
          ended = true
        },
        () => undefined,
      )
      await clock.sleep(20)
      expect(ended).to.equal(false)
      controller.abort()
      await sleeping
    })
  })
}
