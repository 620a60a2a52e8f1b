import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import type { Document, PageQuestion, Views } from '#packages/ports/views.ts'
import type { Line } from './line.ts'

/** The views as one simulated process reaches them: the memory adapter behind a `Line` that fails. */
export function faultyViews(line: Line): Views {
  const { world, life } = line
  const inner = new MemoryViews({ clock: life.clock, definition, documents: world.documents, store: world.events.id })
  const call = <T>(what: string, effect: () => Promise<T>): Promise<T> => line.call('views', what, effect)

  return {
    begin: () => call('begins', () => inner.begin()),
    apply: (changes, to) =>
      call(`applies ${changes.length} changes up to ${to.position}, checkpoint ${to.checkpoint}`, async () => {
        if (changes.length === 0 || !line.strikes('views torn')) return inner.apply(changes, to)
        // As on MongoDB, no transaction covers documents and state together: the documents come first.
        await inner.apply(changes.slice(0, line.random.between(0, changes.length)), { position: 0 })
        throw new Error('the connection was lost between two writes')
      }),
    verify: () => call('looks at what was written', () => inner.verify()),
    makeReadable: () => call('makes the views readable', () => inner.makeReadable()),
    problem: () => call('asks what is wrong with the views', () => inner.problem()),
    checkpoint: () => call('reads the checkpoint', () => inner.checkpoint()),
    waitForApplied: (position, timeoutMs) =>
      call(`waits for the views at ${position}`, () => inner.waitForApplied(position, timeoutMs)),
    get: <D extends Document>(collection: string, id: string) =>
      call(`gets ${collection} ${id}`, () => inner.get<D>(collection, id)),
    getMany: <D extends Document>(collection: string, ids: readonly string[]) =>
      call(`gets ${ids.length} of ${collection}`, () => inner.getMany<D>(collection, ids)),
    listMany: <D extends Document>(collection: string, ids: readonly string[]) =>
      call(`lists ${ids.length} of ${collection}`, () => inner.listMany<D>(collection, ids)),
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
    getNotes: <D extends Document>(ids: readonly string[]) => call(`reads notes`, () => inner.getNotes<D>(ids)),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  }
}
