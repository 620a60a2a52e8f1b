import { LastHour, type PlatformMinutes } from '#packages/platforms/last-hour.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'

/** Failures caused by the platform, or by the way to it. */
const ofPlatform = new Set<string>(['platform_blocked', 'upstream_error'])
/** Failures that say nothing about the platform: it may never have been called. */
const ofNeither = new Set<string>(['cancelled', 'not_accepted', 'insufficient_credits', 'internal_error', 'timeout'])

/** How the jobs of each platform's videos have ended in the last hour, counted from the events of the feed. */
export class PlatformHour {
  readonly #hour = new LastHour()
  /** Events up to this position are counted. */
  #countedTo = 0

  /** Restores the counts of a note. The feed is read again from before it, so counted events are skipped. */
  restore(parts: readonly PlatformMinutes[], countedTo: number): void {
    this.#hour.restore(parts)
    this.#countedTo = countedTo
  }

  /** @param platform the platform of the event's job */
  count(event: StoredEvent, platform: string | undefined): void {
    if (platform === undefined || event.position <= this.#countedTo) return
    if (event.type !== 'JobCompleted' && event.type !== 'JobFailed') return
    const code = event.type === 'JobFailed' ? event.data.code : undefined
    if (code !== undefined && ofNeither.has(code)) return
    this.#hour.count(platform, event.recordedAt, code !== undefined && ofPlatform.has(code))
  }

  /** The counts for a note. */
  parts(now: number): PlatformMinutes[] {
    return this.#hour.parts(now)
  }
}
