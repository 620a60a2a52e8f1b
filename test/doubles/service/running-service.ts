import type { Plan } from '#packages/domain/credits/plans.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { BackDoor } from './back-door.ts'
import { Client } from './client.ts'
import type { Service } from './service.ts'
import { until } from './until.ts'

/** A service, its back door, and the customers with keys. */
export class RunningService implements AsyncDisposable {
  readonly service: Service
  readonly #opened: AsyncDisposable
  #backDoor: Promise<BackDoor> | undefined
  /** Every customer with a key. */
  readonly clients: Client[] = []

  /** @param opened the service and everything around it, which is closed with it */
  protected constructor(service: Service, opened: AsyncDisposable) {
    this.service = service
    this.#opened = opened
  }

  /** The service's event store, opened in this process. */
  backDoor(): Promise<BackDoor> {
    this.#backDoor ??= BackDoor.open(this.service)
    return this.#backDoor
  }

  /** Closes the event store here, so that only the service has it open. */
  async closeBackDoor(): Promise<void> {
    const backDoor = await this.#backDoor
    this.#backDoor = undefined
    await backDoor?.[Symbol.asyncDispose]()
  }

  /** A new organization and its client. `credits`: its remaining credits. */
  async client(options: { plan?: Plan; credits?: number } = {}): Promise<Client> {
    const backDoor = await this.backDoor()
    const client = new Client(() => this.service.base, await backDoor.organization(options))
    this.clients.push(client)
    return client
  }

  /** The events of a job. */
  async history(jobId: string): Promise<StoredEvent[]> {
    return (await this.backDoor()).store.read(`job-${jobId}`)
  }

  /** The steps of a job that were started, in order. */
  async startsOf(jobId: string): Promise<string[]> {
    return (await this.history(jobId)).flatMap(({ type, data }) => (type === 'StepStarted' ? [data.step] : []))
  }

  /** Waits until every debit is settled. @returns every event written */
  async rest(): Promise<StoredEvent[]> {
    return eventsAtRest(await this.backDoor(), { everyMs: 200 })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeBackDoor()
    await this.#opened[Symbol.asyncDispose]()
  }
}

/** Waits until every debit is settled. @returns every event written */
export function eventsAtRest(backDoor: BackDoor, waiting: Parameters<typeof until>[2]): Promise<StoredEvent[]> {
  const countOf = (events: StoredEvent[], kind: string): number => events.filter(({ type }) => type === kind).length
  return until(
    'every debit is settled',
    async () => {
      const events = await backDoor.events()
      return countOf(events, 'CreditsDebited') === countOf(events, 'CreditsSettled') && events
    },
    waiting,
  )
}
