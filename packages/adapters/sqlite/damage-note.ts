import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * A note beside the event file about known damage. A restart does not search for damage again, but must not forget it.
 */
const notePathOf = (path: string): string => `${path}.damage`

/** The known damage of this event file, in one sentence; undefined if there is none. */
export function readDamageNote(path: string): string | undefined {
  try {
    return readFileSync(notePathOf(path), 'utf8').trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** On a full disk there is no note, but this process still knows of the damage. */
export function writeDamageNote(path: string, problem: string): void {
  const made = `${notePathOf(path)}.new`
  try {
    writeFileSync(made, `${problem}\n`, { mode: 0o600 })
    renameSync(made, notePathOf(path))
  } catch {
    rmSync(made, { force: true })
  }
}

/** Called after a comparison of the whole file that found nothing. */
export const removeDamageNote = (path: string): void => rmSync(notePathOf(path), { force: true })
