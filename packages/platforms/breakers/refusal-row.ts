/** Stands for requests of operators. What they see counts for all organizations. */
export const OPERATORS = 'operators'

/** Organizations whose refusals are remembered at one exit address. */
const MAX_ORGANIZATIONS = 100

/** One organization's part of the row. */
type Part = {
  /** The different subjects that were refused, up to the number that opens the breaker. */
  subjects: Set<string>
  /** Asks nothing before this instant, milliseconds since 1970; undefined: it was not opened. */
  restsUntil: number | undefined
  /** A request that tries whether the platform answers again is under way. */
  trying: boolean
}

/**
 * The refusals of one platform at one exit address since its last answer, and for whom it is left alone because of
 * them. Whoever opened it is tried again after a rest, one request at a time for each organization.
 */
export class RefusalRow {
  readonly #enough: number
  readonly #restMs: number
  /** How many refusals of one organization count towards opening the breaker for all: two must have seen it. */
  readonly #mostOfOne: number
  readonly #parts = new Map<string, Part>()
  /** Left alone by all before this instant. */
  #restsUntil: number | undefined
  /** Since when it has been open for somebody. */
  openSince: number | undefined

  /** @param enough different things refused that open it @param restMs milliseconds */
  constructor(enough: number, restMs: number) {
    this.#enough = enough
    this.#restMs = restMs
    this.#mostOfOne = Math.ceil(enough / 2)
  }

  /** Until when the organization must leave the platform alone; undefined: it may ask now. */
  openFor(organization: string, now: number): number | undefined {
    const part = this.#parts.get(organization)
    const until = Math.max(this.#restsUntil ?? 0, part?.restsUntil ?? 0)
    if (until > now) return until
    // one try at a time: the others would be refused as well
    return part?.trying && this.#wasOpenFor(part) ? now + this.#restMs : undefined
  }

  /** Notes a request that begins. @returns what is to be called at its end */
  tries(organization: string): (() => void) | undefined {
    if (this.openSince === undefined) return undefined
    const part = this.#partOf(organization)
    part.trying = true
    return () => {
      part.trying = false
    }
  }

  /** Whether anybody leaves it alone at the moment. */
  isResting(now: number): boolean {
    return [this.#restsUntil, ...[...this.#parts.values()].map(({ restsUntil }) => restsUntil)].some(
      (until) => until !== undefined && until > now,
    )
  }

  /** Takes in a refusal. @returns for whom it opens the breaker */
  add(organization: string, subject: string, now: number): 'all' | 'organization' | undefined {
    const part = this.#partOf(organization)
    const fails = part.trying && part.restsUntil !== undefined
    if (part.subjects.size < this.#enough) part.subjects.add(subject)
    const opensOwn = (fails || part.subjects.size >= this.#enough) && !((part.restsUntil ?? 0) > now)
    if (opensOwn) part.restsUntil = now + this.#restMs
    const opensAll = !((this.#restsUntil ?? 0) > now) && this.#seenByMany()
    if (opensAll) {
      this.#restsUntil = now + this.#restMs
      // after the rest it takes as many refusals again: the old ones must not keep it open
      for (const one of this.#parts.values()) one.subjects.clear()
    }
    if (!opensOwn && !opensAll) return undefined
    this.openSince ??= now
    return opensAll ? 'all' : 'organization'
  }

  #wasOpenFor({ restsUntil }: Part): boolean {
    return restsUntil !== undefined || this.#restsUntil !== undefined
  }

  /** Counts different subjects. One organization contributes about half at most, an operator any number. */
  #seenByMany(): boolean {
    const seen = new Set<string>()
    for (const [organization, { subjects }] of this.#parts) {
      const most = organization === OPERATORS ? this.#enough : this.#mostOfOne
      const fresh = [...subjects].filter((subject) => !seen.has(subject))
      for (const subject of fresh.slice(0, most)) seen.add(subject)
    }
    return seen.size >= this.#enough
  }

  #partOf(organization: string): Part {
    const part = this.#parts.get(organization) ?? { subjects: new Set(), restsUntil: undefined, trying: false }
    this.#parts.delete(organization)
    this.#parts.set(organization, part)
    const [oldest] = this.#parts.keys()
    if (this.#parts.size > MAX_ORGANIZATIONS && oldest !== undefined) this.#parts.delete(oldest)
    return part
  }
}
