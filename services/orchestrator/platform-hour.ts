import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { PlatformMinutes } from '#packages/views/orchestrator-note.ts'

const PART_MS = 5 * 60_000
const HOUR_MS = 60 * 60_000

/** The platform, or the way to it, is the reason. */
const ofPlatform = new Set<string>(['platform_blocked', 'upstream_error'])
/** Says nothing of the platform: it may never have been asked. */
const ofNeither = new Set<string>(['cancelled', 'not_accepted', 'insufficient_credits', 'internal_error', 'timeout'])

/** How the jobs of each platform's videos have ended in the last hour, counted from the events of the feed. */
export class PlatformHour {
  readonly #parts = new Map<string, PlatformMinutes>()
  /** Events up to this position are counted. */
  #countedTo = 0

  /** Goes on from what a note has: later events are read again from before it. */
  restore(parts: readonly PlatformMinutes[], countedTo: number): void {
    for (const part of parts) this.#parts.set(keyOf(part), { ...part })
    this.#countedTo = countedTo
  }

  /** @param platform of the job that the event belongs to */
  count(event: StoredEvent, platform: string | undefined): void {
    if (platform === undefined || event.position <= this.#countedTo) return
    if (event.type !== 'JobCompleted' && event.type !== 'JobFailed') return
    const code = event.type === 'JobFailed' ? event.data.code : undefined
    if (code !== undefined && ofNeither.has(code)) return
    const fresh = { platform, from: event.recordedAt - (event.recordedAt % PART_MS), ended: 0, failed: 0 }
    const part = this.#parts.get(keyOf(fresh)) ?? fresh
    part.ended++
    if (code !== undefined && ofPlatform.has(code)) part.failed++
    this.#parts.set(keyOf(part), part)
  }

  /** What a note is to have. */
  parts(now: number): PlatformMinutes[] {
    for (const [key, { from }] of this.#parts) if (from + PART_MS <= now - HOUR_MS) this.#parts.delete(key)
    return [...this.#parts.values()].map((part) => ({ ...part }))
  }
}

const keyOf = ({ platform, from }: PlatformMinutes): string => `${platform} ${from}`
