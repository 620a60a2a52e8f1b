import type { Collection, UpdateFilter } from 'mongodb'
import { inReach } from './connection.ts'
import { MARK } from './generations.ts'
import type { Held } from './guarded-writes.ts'
import { type Interruptions, interruptionsOf, sinceThen } from './interruptions.ts'

/** How often a collection was written, as its mark says. */
export const markIn = ({ mark = 0 }: Held): number => mark

export const readMark = (collection: Collection<Held>): Promise<Held | null> =>
  inReach(collection.findOne({ _id: MARK }))

/** What the marks of collections say; nothing of a collection without one. */
export function saidBy(found: Iterable<readonly [collection: string, mark: Held | undefined]>): {
  marks: Map<string, number>
  interruptions: Map<string, Interruptions>
} {
  const there = [...found].flatMap(([name, mark]) => (mark === undefined ? [] : [[name, mark] as const]))
  return {
    marks: new Map(there.map(([name, mark]) => [name, markIn(mark)])),
    interruptions: new Map(there.map(([name, mark]) => [name, interruptionsOf(mark)])),
  }
}

/** The update of a mark: its collection is written once more, up to this position. */
export function writtenUpTo(position: number): UpdateFilter<Held> {
  // The driver's types increment no field of a document that may have others of any name.
  const update: object = { $max: { position }, $inc: { mark: 1 } }
  return update
}

/**
 * Counts one more write of a collection, up to the position `newest`, where it was written at least `least` times and
 * nobody was interrupted since. The driver may send it twice, and two are counted then: only that it grows matters.
 * @returns the new mark, or that of a later write; undefined where something else is there
 */
export async function moveMark(
  collection: Collection<Held>,
  { least, known, newest }: { least: number; known: Interruptions; newest: number },
): Promise<number | undefined> {
  const filter = { _id: MARK, mark: { $gte: least }, ...sinceThen(known) }
  const moved = await inReach(collection.findOneAndUpdate(filter, writtenUpTo(newest), { returnDocument: 'after' }))
  return moved === null ? undefined : markIn(moved)
}
