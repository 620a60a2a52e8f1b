import type { EventStore } from '#packages/ports/event-store.ts'

/**
 * A store that runs something else at the n-th moment. Each call has one moment before it, and one before its answer or
 * its error. So concurrent work can come in at every await.
 */
export function pausedAt(store: EventStore, nth: number, meanwhile: () => Promise<unknown>) {
  let moments = 0
  const moment = async (): Promise<void> => {
    if (moments++ === nth) await meanwhile()
  }
  const paused =
    (method: (...given: unknown[]) => unknown) =>
    async (...given: unknown[]): Promise<unknown> => {
      await moment()
      try {
        return await method.apply(store, given)
      } finally {
        await moment()
      }
    }
  const awaited = ['append', 'appendTogether', 'read', 'isRemoved']
  const proxy = new Proxy(store, {
    get(_, name) {
      const value: unknown = Reflect.get(store, name)
      if (typeof value !== 'function') return value
      return awaited.includes(String(name)) ? paused(value as () => unknown) : value.bind(store)
    },
  })
  return { store: proxy, wasMet: () => moments > nth }
}
