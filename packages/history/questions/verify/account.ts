import { mayBegin, periodOf, withMonth } from '#packages/domain/credits/months.ts'
import { type Plan, plans } from '#packages/domain/credits/plans.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { CLOCKS_DIFFER_MS } from '../search.ts'

/** A ledger as a customer would count it: each credit belongs to the period in which it was given, and ends with it. */
export class Account {
  plan: Plan = 'free'
  balance = 0
  /** The month of the last renewal. */
  month = ''
  /** Credits given, by month. */
  readonly given = new Map<string, number>()
  #months: readonly string[] = []
  #period = 0
  #ceiling = 0
  /** The periods of open debits, and the batches that hold their credits, by job. */
  readonly #debits = new Map<string, { period: number; batchId: string | undefined }>()
  /** What is left of the credits that batches hold. */
  readonly #holds = new Map<string, { left: number; period: number }>()
  /** The refund of the previous event, if its period had ended. It expires with the next event. */
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
    if (!mayBegin(this.#months, month)) return this.balance
    const gave = (this.given.get(this.month) ?? 0) > 0
    return plans[this.plan].monthlyCredits + (gave ? 0 : this.balance)
  }

  #take(event: StoredEvent): string[] {
    switch (event.type) {
      case 'CreditsGranted':
        this.balance += event.data.credits
        return []
      case 'PlanChanged':
        this.plan = event.data.plan
        this.#ceiling = Math.max(this.#ceiling, plans[this.plan].monthlyCredits)
        return []
      case 'CreditsRenewed':
        return this.#renew(event)
      case 'CreditsHeld':
        this.balance -= event.data.credits
        this.#holds.set(event.data.batchId, { left: event.data.credits, period: this.#period })
        return []
      case 'CreditsReleased':
        return this.#release(event.data)
      case 'CreditsDebited':
        return this.#debit(event.data)
      case 'CreditsSettled':
        return this.#refund(event.data)
      case 'CreditsStated':
        if (event.data.balance === this.balance) return []
        return [`${event.data.balance} credits are stated, and ${this.balance} are left`]
      default:
        return [`a ledger has ${event.type}`]
    }
  }

  /** Credits from the hold of a batch left the balance earlier. */
  #debit({ jobId, credits, batch }: DomainEvent<'CreditsDebited'>['data']): string[] {
    const hold = batch === null ? undefined : this.#holds.get(batch.batchId)
    this.#debits.set(jobId, { period: hold?.period ?? this.#period, batchId: batch?.batchId })
    if (batch === null) this.balance -= credits
    else if (hold === undefined) return [`nothing is held for the batch ${batch.batchId}`]
    else hold.left -= credits
    return (hold?.left ?? 0) < 0 ? [`${credits} credits are more than what is held for the batch`] : []
  }

  /** A refund to a period that has ended is not added to the balance: it expires at once. */
  #refund({ jobId, refunded }: DomainEvent<'CreditsSettled'>['data']): string[] {
    const { period, batchId = '' } = this.#debits.get(jobId) ?? {}
    this.#debits.delete(jobId)
    const hold = this.#holds.get(batchId)
    if (hold !== undefined) hold.left += refunded
    else if (period !== this.#period) this.#lapsing = refunded
    else this.balance += refunded
    return []
  }

  #release({ batchId, credits }: DomainEvent<'CreditsReleased'>['data']): string[] {
    const hold = this.#holds.get(batchId)
    this.#holds.delete(batchId)
    if (hold?.period === this.#period) this.balance += credits
    else this.#lapsing = credits
    return credits === hold?.left ? [] : [`${credits} credits are released, and ${hold?.left ?? 0} were left`]
  }

  #renew({ data, recordedAt }: StoredEvent & DomainEvent<'CreditsRenewed'>): string[] {
    const { period, credits, expired } = data
    if (credits === 0 && period === this.month) return this.#expire(expired)
    const problems: string[] = []
    if (period !== this.month) {
      if (!mayBegin(this.#months, period)) problems.push(`${period} begins once more, after ${this.month}`)
      if (period > periodOf(recordedAt + CLOCKS_DIFFER_MS)) problems.push(`${period} began before its time`)
      const ends = (this.given.get(this.month) ?? 0) > 0
      if (expired !== (ends ? this.balance : 0)) problems.push(`${expired} of ${this.balance} expired`)
      this.balance -= expired
      if (ends) this.#period++
      this.#ceiling = plans[this.plan].monthlyCredits
      this.#months = withMonth(this.#months, period)
    } else if (expired !== 0) problems.push(`${expired} credits expired twice in ${period}`)
    this.month = period
    this.balance += credits
    this.given.set(period, (this.given.get(period) ?? 0) + credits)
    if ((this.given.get(period) ?? 0) > this.#ceiling)
      problems.push(`${this.given.get(period)} were given in ${period}`)
    return problems
  }

  #expire(expired: number): string[] {
    return (this.#last?.type === 'CreditsSettled' || this.#last?.type === 'CreditsReleased') &&
      this.#lapsing === expired
      ? []
      : [`${expired} credits expired twice in ${this.month}`]
  }
}
