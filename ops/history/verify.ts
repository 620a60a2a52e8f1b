import { existsSync } from 'node:fs'
import { verifyEventFile } from '#packages/adapters/sqlite/verify.ts'
import type { DataDirectory } from '#services/host/data-directory.ts'

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
 * @returns whether everything holds
 */
export async function verify({ data, json }: { data: DataDirectory; json: boolean }): Promise<boolean> {
  if (!existsSync(data.events)) throw new Error(`there is no event file ${data.events}`)
  let toldAt = Date.now()
  const { events, findings } = verifyEventFile(data.events, ({ done, of }) => {
    if (json || Date.now() - toldAt < TELL_EVERY_MS) return
    toldAt = Date.now()
    console.error(`${Math.floor((done / Math.max(1, of)) * 100)} % compared`)
  })
  const holds = findings.length === 0
  if (json) console.log(JSON.stringify({ holds, file: data.events, events, findings }))
  else {
    for (const finding of findings) console.log(lineOf(finding))
    const found = holds ? 'everything holds' : `${findings.length} damaged: put back a copy from before (ops/history)`
    console.log(`${events} events compared: ${found}`)
  }
  return holds
}
