import type { Clock } from '#packages/ports/clock.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Observation, Telemetry } from '#packages/telemetry/telemetry.ts'

/** How many organizations the metric names. */
const TOLD = 10

/** The time window of the count, in minutes. */
const MINUTES = 5
const MINUTE_MS = 60_000

/** The organizations with the most jobs in the last five minutes, folded from the feed. */
export class BusiestOrganizations {
  readonly #clock: Clock
  /** The number of jobs that each organization requested, by minute since 1970. */
  readonly #minutes = new Map<number, Map<string, number>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param acts true if this process is the owner; only the owner reports */
  observe(telemetry: Telemetry, acts: () => boolean): void {
    telemetry.observe(metrics.busiestOrganizations, () => (acts() ? this.#busiest() : []))
  }

  /** Applies one event. */
  apply({ type, recordedAt, metadata: { orgId } }: StoredEvent): void {
    const minute = Math.floor(recordedAt / MINUTE_MS)
    if (type !== 'JobRequested' || minute < this.#first) return
    const counts = this.#minutes.get(minute) ?? new Map<string, number>()
    this.#minutes.set(minute, counts.set(orgId, (counts.get(orgId) ?? 0) + 1))
    this.#forget()
  }

  get #first(): number {
    return Math.floor(this.#clock.now() / MINUTE_MS) - MINUTES + 1
  }

  #forget(): void {
    for (const minute of this.#minutes.keys()) if (minute < this.#first) this.#minutes.delete(minute)
  }

  #busiest(): Observation[] {
    this.#forget()
    const sums = new Map<string, number>()
    for (const counts of this.#minutes.values())
      for (const [orgId, count] of counts) sums.set(orgId, (sums.get(orgId) ?? 0) + count)
    const sorted = [...sums].sort(([, one], [, other]) => other - one)
    return sorted.slice(0, TOLD).map(([orgId, value]) => ({ value, attributes: { [names.orgId]: orgId } }))
  }
}
