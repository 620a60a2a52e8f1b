import { type Counts, requests } from '#packages/domain/requests/requests.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { appendUntilAnswered } from '#packages/event-store/append-until-answered.ts'
import { toAppend } from '#packages/event-store/to-append.ts'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type EventStore,
  type ExpectedRevision,
  RevisionConflictError,
  type StoredEvent,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'

type Ports = { store: EventStore; clock: Clock; ids: Ids; log: Logger }

/** What one organization has asked for. */
type Tally = { [of in keyof Counts]: Map<string, number> }

const HOUR_MS = 60 * 60 * 1000

/** How long one append is tried, milliseconds. */
const GIVE_UP_AFTER_MS = 5000

/** How long a process that stops goes on telling, milliseconds. */
const LAST_MS = 2000

/**
 * Counts the free reads and the refused requests of organizations in memory, and tells them in a RequestsCounted once in
 * an hour: never in the time of a request, and nothing where there was none.
 *
 * Of several processes one is the first to tell in an hour of an organization. The others keep their counts and tell them
 * in a later hour; each tells at another moment of every hour, so that all have their turn. What a process has not told
 * is lost with a crash; one that stops in order tells what the hour still lets it.
 */
export class RequestCounts {
  readonly #ports: Ports
  #tallies = new Map<string, Tally>()

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** @param what the route of a free read, or the code of the error that answered the request */
  count(orgId: string, of: keyof Counts, what: string): void {
    const tally = this.#tallies.get(orgId) ?? { reads: new Map(), refused: new Map() }
    this.#tallies.set(orgId, tally)
    tally[of].set(what, (tally[of].get(what) ?? 0) + 1)
  }

  /** Tells at a random moment of each hour, and once more when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, ids } = this.#ports
    for (let hour = Math.floor(clock.now() / HOUR_MS) + 1; !signal.aborted; hour++) {
      const at = (hour + ids.random()) * HOUR_MS
      await clock.sleep(Math.max(0, at - clock.now()), signal).catch(() => undefined)
      if (!signal.aborted) await this.#tellAll(Number.POSITIVE_INFINITY)
    }
    await this.#tellAll(clock.now() + LAST_MS)
  }

  /** @param until no append begins later, milliseconds since 1970 */
  async #tellAll(until: number): Promise<void> {
    const tallies = this.#tallies
    this.#tallies = new Map()
    for (const [orgId, tally] of tallies) {
      const isTold = this.#ports.clock.now() < until && (await this.#tell(orgId, tally))
      if (!isTold) this.#keep(orgId, tally)
    }
  }

  /** @returns false where it was not told: this hour has its event already, or the store does not answer. Never throws. */
  async #tell(orgId: string, { reads, refused }: Tally): Promise<boolean> {
    const { store, clock, log } = this.#ports
    const stream = streams.requests(orgId)
    const counts = { reads: Object.fromEntries(reads), refused: Object.fromEntries(refused) }
    try {
      const last = await lastOf(store.readBackwards(stream))
      const state = fold(requests, last === undefined ? [] : [last])
      const events = requests.decide({ type: 'count', counts, now: clock.now() }, state)
      return events.length > 0 && (await this.#append(orgId, last?.revision ?? 'no-stream', events))
    } catch (err) {
      log.warn({ err, orgId }, 'the requests of an organization are not told')
      return false
    }
  }

  /** @returns whether there is nothing left to be told */
  async #append(orgId: string, expected: ExpectedRevision, events: readonly DomainEvent[]): Promise<boolean> {
    const { clock, ids, log } = this.#ports
    const stream = streams.requests(orgId)
    const id = ids.uuid()
    const metadata = { orgId, correlationId: id, causationId: id, traceparent: newTraceparent(false) }
    const appended = toAppend(stream, events, metadata)
    try {
      await appendUntilAnswered(this.#ports, stream, expected, appended, clock.now() + GIVE_UP_AFTER_MS)
    } catch (err) {
      // Another process was faster.
      if (err instanceof RevisionConflictError) return false
      // Told again in another hour, what may be stored would be counted twice.
      if (!(err instanceof StreamRemovedError)) log.warn({ err, orgId }, 'requests may not have been recorded')
    }
    return true
  }

  /** Adds what was not told to what was counted meanwhile. */
  #keep(orgId: string, tally: Tally): void {
    const newer = this.#tallies.get(orgId)
    this.#tallies.set(orgId, tally)
    for (const kind of ['reads', 'refused'] as const)
      for (const [what, count] of newer?.[kind] ?? []) tally[kind].set(what, (tally[kind].get(what) ?? 0) + count)
  }
}

async function lastOf(backwards: AsyncIterable<StoredEvent>): Promise<StoredEvent | undefined> {
  for await (const event of backwards) return event
  return undefined
}
