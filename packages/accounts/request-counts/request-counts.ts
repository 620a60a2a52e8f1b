import { type Counts, requests } from '#packages/domain/requests/requests.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { appendUntilAnswered } from '#packages/events/store/append-until-answered.ts'
import { toAppend } from '#packages/events/store/to-append.ts'
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

/** The requests of one organization. */
type Tally = { [of in keyof Counts]: Map<string, number> }

const HOUR_MS = 60 * 60 * 1000

/** How long one append is retried, milliseconds. */
const GIVE_UP_AFTER_MS = 5000

/** How long a stopping process continues to record, milliseconds. */
const LAST_MS = 2000

/**
 * Counts the free reads and refused requests of organizations in memory. Records them in a RequestsCounted once an
 * hour, outside of requests. Records nothing if there were none.
 *
 * Of several processes, the first one records an organization's counts in an hour. The others keep theirs and record
 * them in a later hour. Each process records at a different moment of every hour, so that all get their turn. A crash
 * loses the counts that were not recorded. A process that stops in order records what the hour still allows.
 */
export class RequestCounts {
  readonly #ports: Ports
  #tallies = new Map<string, Tally>()

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** @param what the route of a free read, or the code of the error that refused the request */
  count(orgId: string, of: keyof Counts, what: string): void {
    const tally = this.#tallies.get(orgId) ?? { reads: new Map(), refused: new Map() }
    this.#tallies.set(orgId, tally)
    tally[of].set(what, (tally[of].get(what) ?? 0) + 1)
  }

  /** Records at a random moment of each hour, and once more when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, ids } = this.#ports
    for (let hour = Math.floor(clock.now() / HOUR_MS) + 1; !signal.aborted; hour++) {
      const at = (hour + ids.random()) * HOUR_MS
      await clock.sleep(Math.max(0, at - clock.now()), signal).catch(() => undefined)
      if (!signal.aborted) await this.#tellAll(Number.POSITIVE_INFINITY)
    }
    await this.#tellAll(clock.now() + LAST_MS)
  }

  /** @param until no append begins after this instant, milliseconds since 1970 */
  async #tellAll(until: number): Promise<void> {
    const tallies = this.#tallies
    this.#tallies = new Map()
    for (const [orgId, tally] of tallies) {
      const isTold = this.#ports.clock.now() < until && (await this.#tell(orgId, tally))
      if (!isTold) this.#keep(orgId, tally)
    }
  }

  /** @param until no append begins after this instant, milliseconds since 1970 */
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
      log.warn({ err, orgId }, 'the request counts of an organization could not be recorded')
      return false
    }
  }

  /**
   * @returns whether the counts were recorded. Not if this hour already has its event, or the store does not answer.
   *   Never throws.
   */
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
      // The event may have been stored. Recording the counts in another hour would count them twice.
      if (!(err instanceof StreamRemovedError)) log.warn({ err, orgId }, 'requests may not have been recorded')
    }
    return true
  }

  /** Adds unrecorded counts to those counted meanwhile. */
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
