import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until `look` gives something other than undefined or false, and returns it.
 * @throws Error naming `what` after `seconds` (default 100: other suites share the machine)
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  { seconds = 100, everyMs = 50 } = {},
): Promise<T> {
  for (const end = Date.now() + seconds * 1000; ; await sleep(everyMs)) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (Date.now() > end) throw new Error(`waited ${seconds} s in vain until ${what}`)
  }
}
