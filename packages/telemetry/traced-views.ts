import {
  type AppliedTo,
  type Document,
  type GuardedChange,
  type PageQuestion,
  type Stored,
  type Views,
  ViewsReplacedError,
} from '#packages/ports/views.ts'
import { metrics } from './metrics.ts'
import { names } from './names.ts'
import type { Telemetry } from './telemetry.ts'

/** Measures the batches that are applied. Everything else passes through. */
export class TracedViews implements Views {
  readonly #views: Views
  readonly #telemetry: Telemetry

  constructor(views: Views, telemetry: Telemetry) {
    this.#views = views
    this.#telemetry = telemetry
  }

  /** `replaced`: another process has written to them or replaced them, and nothing is wrong with the database. */
  async apply(changes: readonly GuardedChange[], to: AppliedTo): Promise<void> {
    const begun = performance.now()
    let outcome = 'ok'
    try {
      await this.#views.apply(changes, to)
    } catch (error) {
      outcome = error instanceof ViewsReplacedError ? 'replaced' : 'failed'
      throw error
    } finally {
      const seconds = (performance.now() - begun) / 1000
      this.#telemetry.record(metrics.viewsDuration, seconds, { [names.outcome]: outcome })
    }
  }

  begin(): Promise<number> {
    return this.#views.begin()
  }

  verify(): Promise<void> {
    return this.#views.verify()
  }

  makeReadable(): Promise<void> {
    return this.#views.makeReadable()
  }

  problem(): Promise<string | undefined> {
    return this.#views.problem()
  }

  checkpoint(): Promise<number> {
    return this.#views.checkpoint()
  }

  waitForApplied(position: number, timeoutMs: number): Promise<boolean> {
    return this.#views.waitForApplied(position, timeoutMs)
  }

  get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined> {
    return this.#views.get(collection, id)
  }

  getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]> {
    return this.#views.getMany(collection, ids)
  }

  find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]> {
    return this.#views.find(collection, field, value)
  }

  page<D extends Document>(collection: string, question: PageQuestion): Promise<Stored<D>[]> {
    return this.#views.page(collection, question)
  }

  waitForChange<D extends Document>(
    collection: string,
    id: string,
    position: number,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Stored<D> | undefined> {
    return this.#views.waitForChange(collection, id, position, timeoutMs, signal)
  }

  putNote(id: string, note: Document): Promise<void> {
    return this.#views.putNote(id, note)
  }

  getNotes<D extends Document>(ids: readonly string[]): Promise<Map<string, D>> {
    return this.#views.getNotes(ids)
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#views[Symbol.asyncDispose]()
  }
}
