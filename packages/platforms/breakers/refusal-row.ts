import { LRUCache } from 'lru-cache'

/** Takes the place of an organization in requests of operators. Their refusals count for all organizations. */
export const OPERATORS = 'operators'

/** Organizations whose refusals are kept for one exit address. */
const MAX_ORGANIZATIONS = 100

/** How many organizations must meet refusals before a breaker opens for those that met none. */
const MANY = 3

/** One refusal that an organization, or an operator, met. */
export type Refusal = { organization: string; subject: string; isEstablished: boolean }

/** The refusals of one organization. */
type Part = {
  /** The different subjects that were refused, up to the number that opens the breaker. */
  subjects: Set<string>
  /** Its refusals count for others: they are not those of an organization that was made for the purpose. */
  isEstablished: boolean
  /** The organization makes no request before this instant, milliseconds since 1970; undefined: never opened for it. */
  restsUntil: number | undefined
  /** A trial request, which finds out whether the platform answers again, is under way. */
  trying: boolean
}

/**
 * The refusals of one platform at one exit address since its last answer, and the organizations that must pause because
 * of them. After the pause each organization may make one request at a time. One that read well lately may do so during
 * the pause of all: where others have made up the refusals, its answer ends it.
 */
export class RefusalRow {
  readonly #enough: number
  readonly #restMs: number
  /** How many refusals of one organization count towards opening the breaker for all: fewer than it takes. */
  readonly #mostOfOne: number
  readonly #parts = new LRUCache<string, Part>({ max: MAX_ORGANIZATIONS })
  /** No organization makes a request before this instant, milliseconds since 1970. */
  #restsUntil: number | undefined
  /** When the breaker first opened for anybody, milliseconds since 1970. */
  openSince: number | undefined

  /** @param enough different refused subjects that open the breaker @param restMs length of a pause, milliseconds */
  constructor(enough: number, restMs: number) {
    this.#enough = enough
    this.#restMs = restMs
    this.#mostOfOne = Math.ceil(enough / 2)
  }

  /**
   * The end of the pause for this organization, milliseconds since 1970; undefined: it may make a request now.
   * @param readsWell the platform answered this organization lately
   */
  openFor(organization: string, now: number, readsWell: boolean): number | undefined {
    const part = this.#parts.get(organization)
    const until = Math.max(readsWell ? 0 : (this.#restsUntil ?? 0), part?.restsUntil ?? 0)
    if (until > now) return until
    // one trial request at a time: others would be refused as well
    return part?.trying && this.#wasOpenFor(part) ? now + this.#restMs : undefined
  }

  /** Notes that a request begins. @returns a function for the caller to call when the request has ended */
  tries(organization: string): (() => void) | undefined {
    if (this.openSince === undefined) return undefined
    const part = this.#partOf(organization)
    part.trying = true
    return () => {
      part.trying = false
    }
  }

  /** Whether any organization pauses now. */
  isResting(now: number): boolean {
    return [this.#restsUntil, ...[...this.#parts.values()].map(({ restsUntil }) => restsUntil)].some(
      (until) => until !== undefined && until > now,
    )
  }

  /** Counts a refusal. @returns for whom it opens the breaker */
  add({ organization, subject, isEstablished }: Refusal, now: number): 'all' | 'organization' | undefined {
    const part = this.#partOf(organization)
    part.isEstablished = isEstablished
    const fails = part.trying && this.#wasOpenFor(part)
    if (part.subjects.size < this.#enough) part.subjects.add(subject)
    const opensOwn = (fails || part.subjects.size >= this.#enough) && !((part.restsUntil ?? 0) > now)
    if (opensOwn) part.restsUntil = now + this.#restMs
    const opensAll = !((this.#restsUntil ?? 0) > now) && this.#seenByMany()
    if (opensAll) {
      this.#restsUntil = now + this.#restMs
      // after the pause the count starts at zero: the old refusals must not open the breaker again
      for (const one of this.#parts.values()) one.subjects.clear()
    }
    if (!opensOwn && !opensAll) return undefined
    this.openSince ??= now
    return opensAll ? 'all' : 'organization'
  }

  #wasOpenFor({ restsUntil }: Part): boolean {
    return restsUntil !== undefined || this.#restsUntil !== undefined
  }

  /**
   * Whether enough different subjects were refused to an operator, or to several organizations together. One of these
   * contributes about half at most, and only what the others do not.
   */
  #seenByMany(): boolean {
    if ((this.#parts.get(OPERATORS)?.subjects.size ?? 0) >= this.#enough) return true
    const seen = new Set<string>()
    let organizations = 0
    for (const { subjects, isEstablished } of this.#parts.values()) {
      const fresh = isEstablished ? [...subjects].filter((subject) => !seen.has(subject)) : []
      for (const subject of fresh.slice(0, this.#mostOfOne)) seen.add(subject)
      if (fresh.length > 0) organizations++
    }
    return organizations >= MANY && seen.size >= this.#enough
  }

  #partOf(organization: string): Part {
    const none: Part = { subjects: new Set(), isEstablished: false, restsUntil: undefined, trying: false }
    const part = this.#parts.get(organization) ?? none
    this.#parts.set(organization, part)
    return part
  }
}
