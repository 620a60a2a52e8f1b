import type { Clock } from '#packages/ports/clock.ts'

/** Real time; sleeps are noted and take no time. */
export function instantClock(): Clock & { slept: number[] } {
  const slept: number[] = []
  return {
    slept,
    now: () => Date.now(),
    async sleep(ms) {
      slept.push(ms)
    },
  }
}
