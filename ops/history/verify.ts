import { existsSync } from 'node:fs'
import { verifyEventFile } from '#packages/adapters/sqlite/verify.ts'
import type { DataDirectory } from '#services/host/data-directory.ts'

/** How often it is told how far it has come, milliseconds. */
const TELL_EVERY_MS = 5000

const lineOf = (finding: object): string =>
  Object.entries(finding)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
    // What was damaged must not move the cursor.
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')

/**
 * Compares the whole event file with what was written: it is only read, and the service may run meanwhile. Damage that was
 * noted before and is no longer there is forgotten: a service that runs believes its events again when it is started anew.
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
