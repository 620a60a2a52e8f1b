import { setImmediate } from 'node:timers/promises'

/** Returns a function that waits for a turn of the event loop. No two callers get the same one. */
export function loopTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}
