import { LRUCache } from 'lru-cache'

/** The name for operators in place of an organization. Their refusals count for all organizations. */
export const OPERATORS = 'operators'

/** The most organizations in memory per exit address: this many established ones, and as many young ones. */
const MAX_ORGANIZATIONS = 100

/** How many organizations must be refused before a breaker opens for the others. */
const MANY = 3

/** One refusal of an organization or an operator. */
export type Refusal = { organization: string; subject: string; isEstablished: boolean }

/** The refusals of one organization. */
type Part = {
  /** The different refused subjects, up to the number that opens the breaker. */
  subjects: Set<string>
  /** The organization makes no request before this instant, milliseconds since 1970. Undefined: never opened for it. */
  restsUntil: number | undefined
  /** A trial request is under way. It finds out whether the platform answers again. */
  trying: boolean
}

/**
 * The refusals of one platform at one exit address since its last answer, and the organizations that must pause
 * because of them. After the pause each organization may make one request at a time. An organization that read well
 * recently may do so even during the pause for all. Its answer ends that pause, in case others made up the refusals.
 */
export class RefusalRow {
  readonly #enough: number
  readonly #restMs: number
  /** How many refusals of one organization count towards opening the breaker for all. Fewer than the total it takes. */
  readonly #mostOfOne: number
  /** Established organizations. Only their refusals count for others: anyone can create new ones to cause refusals. */
  readonly #established = new LRUCache<string, Part>({ max: MAX_ORGANIZATIONS })
  /** Young organizations have a separate cache, so that many throw-away ones evict no established one. */
  readonly #young = new LRUCache<string, Part>({ max: MAX_ORGANIZATIONS })
  readonly #ofOperators = newPart()
  /** No organization makes a request before this instant, milliseconds since 1970. */
  #restsUntil: number | undefined
  /** When the breaker first opened for any organization, milliseconds since 1970. */
  openSince: number | undefined

  /** @param enough different refused subjects that open the breaker @param restMs length of a pause, milliseconds */
  constructor(enough: number, restMs: number) {
    this.#enough = enough
    this.#restMs = restMs
    this.#mostOfOne = Math.ceil(enough / 2)
  }

  /**
   * The end of the pause for this organization, milliseconds since 1970. Undefined: it may make a request now.
   * @param readsWell the platform answered this organization recently
   */
  openFor(organization: string, now: number, readsWell: boolean): number | undefined {
    const part = this.#find(organization)
    const until = Math.max(readsWell ? 0 : (this.#restsUntil ?? 0), part?.restsUntil ?? 0)
    if (until > now) return until
    // one trial request at a time: further ones would be refused as well
    return part?.trying && this.#wasOpenFor(part) ? now + this.#restMs : undefined
  }

  /** Records that a request begins. @returns a function that the caller calls when the request has ended */
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
    const until = [this.#restsUntil, ...this.#all().map(({ restsUntil }) => restsUntil)]
    return until.some((end) => end !== undefined && end > now)
  }

  /** Counts a refusal. @returns whether it opens the breaker for all, for this organization, or not at all */
  add({ organization, subject, isEstablished }: Refusal, now: number): 'all' | 'organization' | undefined {
    const part = this.#partOf(organization)
    if (isEstablished) this.#establish(organization, part)
    const fails = part.trying && this.#wasOpenFor(part)
    if (part.subjects.size < this.#enough) part.subjects.add(subject)
    const opensOwn = (fails || part.subjects.size >= this.#enough) && !((part.restsUntil ?? 0) > now)
    if (opensOwn) part.restsUntil = now + this.#restMs
    const opensAll = !((this.#restsUntil ?? 0) > now) && this.#seenByMany()
    if (opensAll) {
      this.#restsUntil = now + this.#restMs
      // after the pause the count starts at zero: the old refusals must not open the breaker again
      for (const one of this.#all()) one.subjects.clear()
    }
    if (!opensOwn && !opensAll) return undefined
    this.openSince ??= now
    return opensAll ? 'all' : 'organization'
  }

  #wasOpenFor({ restsUntil }: Part): boolean {
    return restsUntil !== undefined || this.#restsUntil !== undefined
  }

  /**
   * Whether enough different subjects were refused to an operator, or to several organizations together. One
   * organization contributes about half at most, and only subjects that were not refused to the others.
   */
  #seenByMany(): boolean {
    if (this.#ofOperators.subjects.size >= this.#enough) return true
    const seen = new Set<string>()
    let organizations = 0
    for (const { subjects } of this.#established.values()) {
      const fresh = [...subjects].filter((subject) => !seen.has(subject))
      for (const subject of fresh.slice(0, this.#mostOfOne)) seen.add(subject)
      if (fresh.length > 0) organizations++
    }
    return organizations >= MANY && seen.size >= this.#enough
  }

  #find(organization: string): Part | undefined {
    if (organization === OPERATORS) return this.#ofOperators
    return this.#established.get(organization) ?? this.#young.get(organization)
  }

  /** An organization counts as young until its first refusal after its first day. */
  #partOf(organization: string): Part {
    const found = this.#find(organization)
    if (found !== undefined) return found
    const part = newPart()
    this.#young.set(organization, part)
    return part
  }

  #establish(organization: string, part: Part): void {
    this.#young.delete(organization)
    this.#established.set(organization, part)
  }

  #all(): Part[] {
    return [this.#ofOperators, ...this.#established.values(), ...this.#young.values()]
  }
}

const newPart = (): Part => ({ subjects: new Set(), restsUntil: undefined, trying: false })
