import type {
  DeletedWatch,
  FoundVideo,
  FoundVideoList,
  NewWatchRequest,
  Watch,
  WatchChanges,
  WatchDetails,
} from '../../contracts/generated/http.ts'
import type { Http } from './http.ts'
import type { CallOptions } from './jobs.ts'

const root = '/v1/watches'
const pathOf = (watchId: string): string => `${root}/${encodeURIComponent(watchId)}`

/** The sources that an organization watches for new videos. */
export class Watches {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  list({ signal }: CallOptions = {}): Promise<Watch[]> {
    return this.#http.json({ path: root, repeatable: true, signal })
  }

  get(watchId: string, { signal }: CallOptions = {}): Promise<WatchDetails> {
    return this.#http.json({ path: pathOf(watchId), repeatable: true, signal })
  }

  /** Retried only after a 429, so that no second watch is created. */
  create(body: NewWatchRequest, { signal }: CallOptions = {}): Promise<WatchDetails> {
    return this.#http.json({ method: 'POST', path: root, body, repeatable: false, signal })
  }

  /** Changes a watch. `status` pauses and resumes it. */
  change(watchId: string, body: WatchChanges, { signal }: CallOptions = {}): Promise<WatchDetails> {
    return this.#http.json({ method: 'PATCH', path: pathOf(watchId), body, repeatable: true, signal })
  }

  delete(watchId: string, { signal }: CallOptions = {}): Promise<DeletedWatch> {
    return this.#http.json({ method: 'DELETE', path: pathOf(watchId), repeatable: true, signal })
  }

  /** One page of what it has found. `after`: the `next` of the previous page. */
  found(
    watchId: string,
    query: { after?: number; limit?: number } = {},
    { signal }: CallOptions = {},
  ): Promise<FoundVideoList> {
    return this.#http.json({ path: `${pathOf(watchId)}/found`, query, repeatable: true, signal })
  }

  /** Everything that it has found after a number, in order. */
  async *allFound(watchId: string, after = 0, options: CallOptions = {}): AsyncGenerator<FoundVideo> {
    for (let page = await this.found(watchId, { after, limit: 100 }, options); ; ) {
      yield* page.found
      if (!page.hasMore) return
      page = await this.found(watchId, { after: page.next, limit: 100 }, options)
    }
  }
}
