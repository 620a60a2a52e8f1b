import { basename } from 'node:path'
import { DamagedEventsError } from '#packages/ports/damaged-events.ts'
import { removeDamageNote, writeDamageNote } from './damage-note.ts'
import { saysDamaged } from './damaged-file.ts'
import { type EndMark, readEndMark } from './end-mark.ts'
import { EventReader } from './event-reader.ts'
import { FileComparison, type Finding, type Progress } from './file-comparison.ts'
import { MissingEventsError } from './missing-events.ts'

export type Verified = { events: number; findings: readonly Finding[] }

const busyTimeoutMs = 1000

/**
 * Compares a whole event file at once. Where nothing is wrong, an earlier note of damage is removed.
 * @param tell called after each slice
 * @param mark the end that it must have come to at least; read before the comparison, as the file only grows
 */
export function verifyEventFile(
  path: string,
  tell: (progress: Progress) => void,
  mark: EndMark | undefined = readEndMark(path),
): Verified {
  try {
    using comparison = new FileComparison(path)
    while (comparison.next()) tell(comparison.progress)
    const findings = [...comparison.findings, ...endFindings(path, mark)]
    const [first] = comparison.findings
    // A running service reads this note as well.
    if (first !== undefined) writeDamageNote(path, `the events are damaged (${first.file}: ${first.problem})`)
    else if (findings.length === 0) removeDamageNote(path)
    return { events: comparison.progress.events, findings }
  } catch (error) {
    if (!saysDamaged(error) && !(error instanceof DamagedEventsError)) throw error
    return { events: 0, findings: [{ file: basename(path), problem: (error as Error).message }] }
  }
}

function endFindings(path: string, mark: EndMark | undefined): Finding[] {
  if (mark === undefined) return []
  using reader = new EventReader(path, busyTimeoutMs)
  const { id, lastPosition } = reader.origin()
  const found = reader.checksumAt(mark.position)
  const isOther = id !== mark.origin || (found !== undefined && found !== mark.checksum)
  if (!isOther && lastPosition >= mark.position) return []
  const seen = `it had come to position ${mark.position}${isOther ? ' with other events than these' : ''}`
  return [{ file: basename(path), problem: new MissingEventsError(basename(path), lastPosition, seen).message }]
}
