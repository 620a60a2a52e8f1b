import { decorated } from '#packages/ports/decorated.ts'
import type { Views } from '#packages/ports/views.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'

/** Views for requests: if the server is away, their reads fail at once. Everything else is unchanged. */
export function promptViews(views: Views, server: CircuitBreaker): Views {
  /** A small read. */
  const prompt = <A extends unknown[], T>(read: (...asked: A) => Promise<T>) => {
    return (...asked: A): Promise<T> => server.call(() => read.apply(views, asked))
  }
  /** A read that may take its time. */
  const patient = <A extends unknown[], T>(read: (...asked: A) => Promise<T>) => {
    return async (...asked: A): Promise<T> => {
      server.assertClosed()
      return read.apply(views, asked)
    }
  }
  return decorated(views, {
    get: prompt(views.get) as Views['get'],
    find: prompt(views.find) as Views['find'],
    getNotes: prompt(views.getNotes) as Views['getNotes'],
    page: patient(views.page) as Views['page'],
    waitForChange: patient(views.waitForChange) as Views['waitForChange'],
  })
}
