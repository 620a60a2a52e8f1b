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
 * Compares a whole event file. If nothing is wrong, removes an earlier note of damage.
 * @param tell called after each slice
 * @param mark the position that the file must at least have reached. It is read before the comparison, because the file
 *   only grows
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

/** An event, with the JSON of its data as it is stored. `json` is missing if the data is compressed. */
type ComparedEvent = StoredEvent & { json?: string }

/**
 * The events of a file up to `end`, each available once it has been compared. Throws DamagedEventsError at the first
 * damage.
 */
export type ComparedFeed = {
  batches: Iterable<FeedBatch>
  end: number
  /** The stored JSON of an event's data. Undefined if it is compressed, or the event is not from this feed. */
  jsonOf(event: StoredEvent): string | undefined
}

/**
 * Compares the file as `verifyEventFile` does, and passes the events to `read`. Each event is read from the file once.
 * @param read called once. If it fails, damage may be the reason, so the rest of the file is compared all the same
 * @returns also the result of `read`; undefined if damage was found
 * @throws what `read` throws, if the file is undamaged
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

/** @param compared receives the events of each slice from the comparison */
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
  // A running service reads this note too.
  if (first !== undefined) writeDamageNote(path, `the events are damaged (${first.file}: ${first.problem})`)
  else if (findings.length === 0) removeDamageNote(path)
  return { events: comparison.progress.events, findings }
}

/** @throws the error, unless it means damage */
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
