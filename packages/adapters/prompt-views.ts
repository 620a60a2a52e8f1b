import type { Views } from '#packages/ports/views.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'

/** Views for requests: what they read of a server that is away fails at once. Everything else is as it was. */
export function promptViews(views: Views, server: CircuitBreaker): Views {
  /** A small read. */
  const prompt = <A extends unknown[], T>(read: (...asked: A) => Promise<T>) => {
    return (...asked: A): Promise<T> => server.call(() => read.apply(views, asked))
  }
  /** One that may take its time. */
  const patient = <A extends unknown[], T>(read: (...asked: A) => Promise<T>) => {
    return async (...asked: A): Promise<T> => {
      server.assertClosed()
      return read.apply(views, asked)
    }
  }
  const reads: Partial<Record<keyof Views, unknown>> = {
    get: prompt(views.get),
    find: prompt(views.find),
    getNotes: prompt(views.getNotes),
    page: patient(views.page),
    waitForChange: patient(views.waitForChange),
  }
  return new Proxy(views, {
    get(target, name) {
      const own = Reflect.get(reads, name) ?? Reflect.get(target, name)
      return typeof own === 'function' && !Object.hasOwn(reads, name) ? own.bind(target) : own
    },
  })
}
