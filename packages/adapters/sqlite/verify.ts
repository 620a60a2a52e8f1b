import { basename } from 'node:path'
import { EventCodec } from '#packages/events/format/codec.ts'
import { DamagedEventsError } from '#packages/ports/damaged-events.ts'
import type { FeedBatch, StoredEvent } from '#packages/ports/event-store.ts'
import { removeDamageNote, writeDamageNote } from './damage-note.ts'
import { saysDamaged } from './damaged-file.ts'
import { type EndMark, readEndMark } from './end-mark.ts'
import { EventReader } from './event-reader.ts'
import type { StoredRow } from './event-rows.ts'
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
    return verifiedBy(comparison, path, mark)
  } catch (error) {
    return unreadable(path, error)
  }
}

/** An event with its data as the file has them; without, where they are compressed. */
type ComparedEvent = StoredEvent & { json?: string }

/** The events of a file, each as soon as it is compared, up to this position. It throws DamagedEventsError at the first damage. */
export type ComparedFeed = {
  batches: Iterable<FeedBatch>
  end: number
  /** The JSON of an event's data as the file has it; undefined where it is compressed, or the event is not of this feed. */
  jsonOf(event: StoredEvent): string | undefined
}

/**
 * The same for who needs the events as well: each is read from the file once.
 * @param read called once. Where it fails, damage may be the reason: the rest of the file is compared all the same
 * @returns and what `read` has returned; undefined where anything was found
 * @throws what `read` throws, where the file holds
 */
export async function readVerifiedFile<Read>(
  path: string,
  read: (feed: ComparedFeed) => Promise<Read>,
): Promise<Verified & { read: Read | undefined }> {
  const mark = readEndMark(path)
  const compared: StoredRow[] = []
  let verified: Verified
  let outcome: { value: Read } | { error: unknown }
  try {
    using comparison = new FileComparison(path, (row) => compared.push(row))
    const batches = comparedBatches(comparison, compared)
    outcome = await read({ batches, end: comparison.end, jsonOf: ({ json }: ComparedEvent) => json }).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    while (comparison.next()) compared.length = 0
    verified = verifiedBy(comparison, path, mark)
  } catch (error) {
    return { ...unreadable(path, error), read: undefined }
  }
  if (verified.findings.length > 0) return { ...verified, read: undefined }
  if ('error' in outcome) throw outcome.error
  return { ...verified, read: outcome.value }
}

/** @param compared where the comparison puts the events of each slice */
function* comparedBatches(comparison: FileComparison, compared: StoredRow[]): Generator<FeedBatch> {
  const codec = new EventCodec()
  for (let isLeft = true; isLeft; ) {
    isLeft = comparison.next()
    const [finding] = comparison.findings
    if (finding !== undefined) throw new DamagedEventsError(finding.file, finding.problem, finding)
    const events = compared.splice(0).map((row) => {
      const event: ComparedEvent = codec.decodeWritten(row)
      if (typeof row.data === 'string') event.json = row.data
      return event
    })
    const last = events.at(-1)
    if (last !== undefined) yield { events, position: last.position, caughtUp: false }
  }
}

function verifiedBy(comparison: FileComparison, path: string, mark: EndMark | undefined): Verified {
  const findings = [...comparison.findings, ...endFindings(path, mark)]
  const [first] = comparison.findings
  // A running service reads this note as well.
  if (first !== undefined) writeDamageNote(path, `the events are damaged (${first.file}: ${first.problem})`)
  else if (findings.length === 0) removeDamageNote(path)
  return { events: comparison.progress.events, findings }
}

/** @throws the error, where it is no damage */
function unreadable(path: string, error: unknown): Verified {
  if (!saysDamaged(error) && !(error instanceof DamagedEventsError)) throw error
  return { events: 0, findings: [{ file: basename(path), problem: (error as Error).message }] }
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
