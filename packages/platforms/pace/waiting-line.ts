/** A read that waits. The owner is the job or synchronous request that it is for. */
type Waiting = { owner: string; until: number }

/**
 * Reads that wait. Organizations take turns: the first read of each in a minute comes before the second of any. A
 * read that has not returned by its `until` is forgotten.
 */
export class WaitingLine {
  readonly #ofOrganization = new Map<string, Waiting[]>()
  /** Reads that each organization has begun in the current minute. */
  readonly #begun = new Map<string, number>()

  /** Joins the line, or keeps its place in it. @param until when it is forgotten, milliseconds since 1970 */
  join(organization: string, owner: string, until: number): void {
    const own = this.#ofOrganization.get(organization) ?? []
    const known = own.find((one) => one.owner === owner)
    if (known !== undefined) known.until = until
    else this.#ofOrganization.set(organization, [...own, { owner, until }])
  }

  /** Leaves the line without a turn. */
  leave(organization: string, owner: string): void {
    this.#keep(organization, (one) => one.owner !== owner)
  }

  /** Takes its turn. */
  begin(organization: string, owner: string): void {
    this.leave(organization, owner)
    this.#begun.set(organization, this.#begunBy(organization) + 1)
  }

  /** Starts a new round of turns. */
  newMinute(): void {
    this.#begun.clear()
  }

  /** How many reads begin before the owner's. If the owner does not wait: before the read that it would add. */
  ahead(organization: string, owner: string | undefined, now: number): number {
    this.#forget(now)
    const own = this.#ofOrganization.get(organization) ?? []
    const found = own.findIndex((one) => one.owner === owner)
    const place = found === -1 ? own.length : found
    const round = this.#begunBy(organization) + place
    let ahead = place
    // in the same round, the read that has waited longest comes first
    let isFirst = true
    for (const [other, { length }] of this.#ofOrganization) {
      if (other === organization) isFirst = false
      else ahead += Math.min(length, Math.max(0, round - this.#begunBy(other) + (isFirst ? 1 : 0)))
    }
    return ahead
  }

  size(now: number): number {
    this.#forget(now)
    return [...this.#ofOrganization.values()].reduce((sum, { length }) => sum + length, 0)
  }

  #begunBy(organization: string): number {
    return this.#begun.get(organization) ?? 0
  }

  #forget(now: number): void {
    for (const organization of [...this.#ofOrganization.keys()]) this.#keep(organization, ({ until }) => until > now)
  }

  #keep(organization: string, isKept: (one: Waiting) => boolean): void {
    const kept = (this.#ofOrganization.get(organization) ?? []).filter(isKept)
    if (kept.length > 0) this.#ofOrganization.set(organization, kept)
    else this.#ofOrganization.delete(organization)
  }
}
