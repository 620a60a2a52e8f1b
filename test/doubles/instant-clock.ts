import type { Clock } from '#packages/ports/clock.ts'

/** A clock with the real time. Its sleeps are recorded and take no time. */
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
