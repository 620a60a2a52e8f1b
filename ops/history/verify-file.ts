import { existsSync } from 'node:fs'
import { type ComparedFeed, readVerifiedFile, type Verified } from '#packages/adapters/sqlite/verify.ts'

const lineOf = (finding: object): string =>
  Object.entries(finding)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
    // Damaged text must not move the cursor.
    .replace(/[\p{Cc}\u2028\u2029]/gu, ' ')

/**
 * Checks the whole event file against its checksums while reading its events. It only reads the file, and the service
 * may run. It deletes a note of damage that is repaired: a running service trusts its events again after its next
 * start.
 */
export async function verifyFile<Read>(
  events: string,
  read: (feed: ComparedFeed) => Promise<Read>,
): Promise<Verified & { read: Read | undefined; lines: string[] }> {
  if (!existsSync(events)) throw new Error(`there is no event file ${events}`)
  const verified = await readVerifiedFile(events, read)
  const { findings } = verified
  const holds = findings.length === 0
  const found = holds ? 'everything holds' : `${findings.length} damaged: put back a copy from before (ops/history)`
  return { ...verified, lines: [...findings.map(lineOf), `${verified.events} events compared: ${found}`] }
}
