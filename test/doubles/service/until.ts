import { setTimeout as sleep } from 'node:timers/promises'

/** Other suites share the machine, and so may ten processes of one service. */
const PATIENCE_SECONDS = process.env.SERVICE_SCRIPT === 'start:distributed' ? 150 : 90

/**
 * Waits until `look` returns something other than undefined or false, and returns it.
 * @throws Error naming `what` after `seconds`
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  { seconds = PATIENCE_SECONDS, everyMs = 50 } = {},
): Promise<T> {
  for (const end = Date.now() + seconds * 1000; ; await sleep(everyMs)) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (Date.now() > end) throw new Error(`waited ${seconds} s in vain until ${what}`)
  }
}
