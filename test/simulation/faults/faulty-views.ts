import { MemoryViews } from '#packages/adapters/memory/views.ts'
import type { Document, PageQuestion, Views } from '#packages/ports/views.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import type { Line } from './line.ts'

/** The views as one simulated process reaches them: the memory adapter behind a `Line` that fails. */
export function faultyViews(line: Line): Views {
  const { world, life } = line
  const inner = new MemoryViews({ clock: life.clock, definition, documents: world.documents })
  const call = <T>(what: string, effect: () => Promise<T>): Promise<T> => line.call('views', what, effect)

  return {
    begin: (projections, shards) => call(`begins ${projections}`, () => inner.begin(projections, shards)),
    apply: (projections, writes, checkpoint) =>
      call(`applies ${writes.length} writes of ${projections}, then checkpoint ${checkpoint}`, async () => {
        if (writes.length === 0 || !line.strikes('views torn')) return inner.apply(projections, writes, checkpoint)
        // As on MongoDB, documents and checkpoint have no common transaction: the documents come first.
        await inner.apply(projections, writes.slice(0, line.random.between(0, writes.length)), 0)
        throw new Error('the connection was lost between two writes')
      }),
    verify: () => call('looks at what was written', () => inner.verify()),
    makeReadable: () => call('makes the views readable', () => inner.makeReadable()),
    problem: () => call('asks what is wrong with the views', () => inner.problem()),
    checkpoint: (projection) => call(`reads checkpoint ${projection}`, () => inner.checkpoint(projection)),
    waitForCheckpoint: (projection, position, timeoutMs) =>
      call(`waits for ${projection} at ${position}`, () => inner.waitForCheckpoint(projection, position, timeoutMs)),
    get: <D extends Document>(collection: string, id: string) =>
      call(`gets ${collection} ${id}`, () => inner.get<D>(collection, id)),
    getMany: <D extends Document>(collection: string, ids: readonly string[]) =>
      call(`gets ${ids.length} of ${collection}`, () => inner.getMany<D>(collection, ids)),
    find: <D extends Document>(collection: string, field: string, value: string) =>
      call(`finds ${collection}`, () => inner.find<D>(collection, field, value)),
    page: <D extends Document>(collection: string, question: PageQuestion) =>
      call(`pages ${collection}`, () => inner.page<D>(collection, question)),
    waitForChange: <D extends Document>(
      collection: string,
      id: string,
      position: number,
      timeoutMs: number,
      signal?: AbortSignal,
    ) =>
      call(`waits for ${collection} ${id}`, () => inner.waitForChange<D>(collection, id, position, timeoutMs, signal)),
    putNote: (id, note) => call(`notes ${id}`, () => inner.putNote(id, note)),
    putNotes: (notes) => call(`notes ${[...notes.keys()].join(', ')}`, () => inner.putNotes(notes)),
    getNotes: <D extends Document>(ids: readonly string[]) => call(`reads notes`, () => inner.getNotes<D>(ids)),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  }
}
