import type { Plan } from '#packages/domain/credits/plans.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { Books } from './books.ts'
import { Client } from './client.ts'
import type { Service } from './service.ts'
import { until } from './until.ts'

/** A service, its books, and the customers who were given keys. */
export class RunningService implements AsyncDisposable {
  readonly service: Service
  #books: Promise<Books> | undefined
  /** Everybody who was given a key. */
  readonly clients: Client[] = []

  protected constructor(service: Service) {
    this.service = service
  }

  /** The service's event store, seen from this process. */
  books(): Promise<Books> {
    this.#books ??= Books.open(this.service)
    return this.#books
  }

  /** Closes the event store here, so that the service alone has it open. */
  async closeBooks(): Promise<void> {
    const books = await this.#books
    this.#books = undefined
    await books?.[Symbol.asyncDispose]()
  }

  /** A new organization and its client. `credits`: what it has left. */
  async client(options: { plan?: Plan; credits?: number } = {}): Promise<Client> {
    const books = await this.books()
    const client = new Client(() => this.service.base, await books.organization(options))
    this.clients.push(client)
    return client
  }

  /** Waits until every debit is settled. @returns everything that was written */
  async rest(seconds = 60): Promise<StoredEvent[]> {
    const books = await this.books()
    const countOf = (events: StoredEvent[], kind: string): number => events.filter(({ type }) => type === kind).length
    return until(
      'every debit is settled',
      async () => {
        const events = await books.events()
        return countOf(events, 'CreditsDebited') === countOf(events, 'CreditsSettled') && events
      },
      { seconds, everyMs: 200 },
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeBooks()
    await this.service[Symbol.asyncDispose]()
  }
}
