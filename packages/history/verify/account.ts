import { periodOf } from '#packages/domain/credits/months.ts'
import { type Plan, plans } from '#packages/domain/credits/plans.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'

/** A ledger as a customer would count it: each credit belongs to the period that it was given in, and ends with it. */
export class Account {
  plan: Plan = 'free'
  balance = 0
  /** The month of the last renewal. */
  month = ''
  /** Credits given by months. */
  readonly given = new Map<string, number>()
  /** The month that renewal counts from: earlier than `month` where the clock that renewed ran ahead. */
  from = ''
  #period = 0
  #ceiling = 0
  /** The periods of open debits, by job. */
  readonly #debits = new Map<string, number>()
  /** The refund of the event before, where its period had ended: it expires with the next event. */
  #lapsing = 0
  #last: StoredEvent | undefined

  /** Applies one event. @returns what is wrong with it */
  apply(event: StoredEvent): string[] {
    const problems = this.#take(event)
    this.#last = event
    if (this.balance < 0) problems.push(`the balance is ${this.balance} after ${event.type}`)
    return problems
  }

  /** The balance that the service must show in a month. */
  toldIn(month: string): number {
    const renews = this.#isDue(month) && (plans[this.plan].monthlyCredits > 0 || (this.given.get(this.month) ?? 0) > 0)
    return renews ? plans[this.plan].monthlyCredits : this.balance
  }

  #isDue(month: string): boolean {
    return month > this.from && !this.given.has(month)
  }

  #take(event: StoredEvent): string[] {
    const recordedIn = periodOf(event.recordedAt)
    if (recordedIn < this.from) this.from = recordedIn
    switch (event.type) {
      case 'CreditsGranted':
        this.balance += event.data.credits
        return []
      case 'PlanChanged':
        this.plan = event.data.plan
        this.#ceiling = Math.max(this.#ceiling, plans[this.plan].monthlyCredits)
        return []
      case 'CreditsRenewed':
        return this.#renew(event.data, this.#isUpgrade(event))
      case 'CreditsDebited':
        this.balance -= event.data.credits
        this.#debits.set(event.data.jobId, this.#period)
        return []
      case 'CreditsSettled':
        return this.#refund(event.data)
      case 'CreditsStated':
        if (event.data.balance === this.balance) return []
        return [`${event.data.balance} credits are stated, and ${this.balance} are left`]
      default:
        return [`a ledger has ${event.type}`]
    }
  }

  /** In one append with another plan: they have one cause. */
  #isUpgrade({ metadata }: StoredEvent): boolean {
    return this.#last?.type === 'PlanChanged' && this.#last.metadata.causationId === metadata.causationId
  }

  /** A refund to a period that has ended is not in the balance: it expires at once. */
  #refund({ jobId, refunded }: DomainEvent<'CreditsSettled'>['data']): string[] {
    const hasLapsed = this.#debits.get(jobId) !== this.#period
    this.#debits.delete(jobId)
    if (hasLapsed) this.#lapsing = refunded
    else this.balance += refunded
    return []
  }

  /** `isUpgrade`: it came in one append with another plan, and lets nothing expire. */
  #renew(data: DomainEvent<'CreditsRenewed'>['data'], isUpgrade: boolean): string[] {
    const { period, credits, expired } = data
    // A renewal of nothing: it stands before a statement, which cannot express it.
    if (credits === 0 && expired === 0 && this.given.has(period)) return []
    if (credits === 0 && period === this.month) return this.#expire(expired)
    const problems: string[] = []
    if (period !== this.month) {
      if (!this.#isDue(period)) problems.push(`${period} is renewed for, and renewal counts from ${this.from}`)
      if (!isUpgrade) {
        if (expired !== this.balance) problems.push(`${expired} of ${this.balance} expired`)
        this.balance = 0
        this.#period++
      }
      this.#ceiling = plans[this.plan].monthlyCredits
      this.from = period
    } else if (expired !== 0) problems.push(`${expired} credits expired twice in ${period}`)
    this.month = period
    this.balance += credits
    this.given.set(period, (this.given.get(period) ?? 0) + credits)
    if ((this.given.get(period) ?? 0) > this.#ceiling)
      problems.push(`${this.given.get(period)} were given in ${period}`)
    return problems
  }

  #expire(expired: number): string[] {
    return this.#last?.type === 'CreditsSettled' && this.#lapsing === expired
      ? []
      : [`${expired} credits expired twice in ${this.month}`]
  }
}
