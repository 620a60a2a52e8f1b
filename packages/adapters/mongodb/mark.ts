import type { Collection, UpdateFilter } from 'mongodb'
import { inReach } from './connection.ts'
import { MARK } from './generations.ts'
import type { Held } from './guarded-writes.ts'
import { type Interruptions, interruptionsOf, sinceThen } from './interruptions.ts'

/** How often a collection was written, as its mark says. */
export const markIn = ({ mark = 0 }: Held): number => mark

export const readMark = (collection: Collection<Held>): Promise<Held | null> =>
  inReach(collection.findOne({ _id: MARK }))

/** What the marks of all collections say; nothing of a collection without one. */
export async function readMarks(
  collections: ReadonlyMap<string, Collection<Held>>,
): Promise<{ marks: Map<string, number>; interruptions: Map<string, Interruptions> }> {
  const marks = new Map<string, number>()
  const interruptions = new Map<string, Interruptions>()
  const read = async ([name, collection]: [string, Collection<Held>]): Promise<void> => {
    const found = await readMark(collection)
    if (found === null) return
    marks.set(name, markIn(found))
    interruptions.set(name, interruptionsOf(found))
  }
  await Promise.all([...collections].map(read))
  return { marks, interruptions }
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
