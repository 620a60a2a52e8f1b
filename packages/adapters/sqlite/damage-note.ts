import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** What was found of damage, beside the event file: a start does not look for it again, and must not forget it. */
const notePathOf = (path: string): string => `${path}.damage`

/** What is known against the events of this file, in one sentence; undefined: nothing. */
export function readDamageNote(path: string): string | undefined {
  try {
    return readFileSync(notePathOf(path), 'utf8').trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A disk that is full does not hide the damage from this process. */
export function writeDamageNote(path: string, problem: string): void {
  const made = `${notePathOf(path)}.new`
  try {
    writeFileSync(made, `${problem}\n`, { mode: 0o600 })
    renameSync(made, notePathOf(path))
  } catch {
    rmSync(made, { force: true })
  }
}

/** For who has compared the whole file and found nothing. */
export const removeDamageNote = (path: string): void => rmSync(notePathOf(path), { force: true })
