import { existsSync } from 'node:fs'
import { verifyEventFile } from '#packages/adapters/sqlite/verify.ts'

/** Pause between two lines of progress, milliseconds. */
const TELL_EVERY_MS = 5000

const lineOf = (finding: object): string =>
  Object.entries(finding)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
    // Damaged text must not move the cursor.
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')

/**
 * Checks the whole event file against its checksums. It only reads the file, and the service may run meanwhile. Deletes
 * the note of damage that is no longer there: a running service trusts its events again after its next start.
 */
export function verifyFile(events: string): { events: number; findings: readonly object[]; lines: string[] } {
  if (!existsSync(events)) throw new Error(`there is no event file ${events}`)
  let toldAt = Date.now()
  const verified = verifyEventFile(events, ({ done, of }) => {
    if (Date.now() - toldAt < TELL_EVERY_MS) return
    toldAt = Date.now()
    console.error(`${Math.floor((done / Math.max(1, of)) * 100)} % compared`)
  })
  const { findings } = verified
  const holds = findings.length === 0
  const found = holds ? 'everything holds' : `${findings.length} damaged: put back a copy from before (ops/history)`
  return { ...verified, lines: [...findings.map(lineOf), `${verified.events} events compared: ${found}`] }
}
