/** A read that waits. Its owner is who it is read for: a job or a synchronous request. */
type Waiting = { owner: string; until: number }

/**
 * Reads that wait. Organizations take turns: the first read of each in a minute comes before the second of any. Whoever
 * has not come by the time that was named is forgotten.
 */
export class WaitingLine {
  readonly #ofOrganization = new Map<string, Waiting[]>()
  /** Reads that organizations have begun in the minute that runs. */
  readonly #begun = new Map<string, number>()

  /** Waits, or goes on waiting at the same place. @param until when it is forgotten, milliseconds since 1970 */
  join(organization: string, owner: string, until: number): void {
    const own = this.#ofOrganization.get(organization) ?? []
    const known = own.find((one) => one.owner === owner)
    if (known !== undefined) known.until = until
    else this.#ofOrganization.set(organization, [...own, { owner, until }])
  }

  /** Waits no longer, without a turn. */
  leave(organization: string, owner: string): void {
    this.#keep(organization, (one) => one.owner !== owner)
  }

  /** Takes its turn. */
  begin(organization: string, owner: string): void {
    this.leave(organization, owner)
    this.#begun.set(organization, this.#begunBy(organization) + 1)
  }

  /** All take turns anew. */
  newMinute(): void {
    this.#begun.clear()
  }

  /** How many reads begin before the owner's; of an owner who does not wait, before the one that it would begin. */
  ahead(organization: string, owner: string | undefined, now: number): number {
    this.#forget(now)
    const own = this.#ofOrganization.get(organization) ?? []
    const found = own.findIndex((one) => one.owner === owner)
    const place = found === -1 ? own.length : found
    const round = this.#begunBy(organization) + place
    let ahead = place
    // in the same round whoever has waited for longer comes first
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
