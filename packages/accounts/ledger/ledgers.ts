import { LRUCache } from 'lru-cache'
import {
  asIfRecorded,
  type CreditsCommand,
  type CreditsOutcome,
  decideTogether,
} from '#packages/domain/credits/credits.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { appendAtomically, isAnswer, readUntilAnswered } from '#packages/events/store/append-until-answered.ts'
import type { FeedReader } from '#packages/events/store/follow.ts'
import { Patience } from '#packages/events/store/patience.ts'
import { growingTo } from '#packages/foundation/concurrency/growing-to.ts'
import { LedgerBusyError } from '#packages/foundation/errors/ledger-busy-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type EventStore,
  type FeedBatch,
  RevisionConflictError,
  type StreamAppend,
} from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { type Account, newAccount, type Waiting } from './account.ts'
import { changesAll, type Decided, fittingOf, takenOf } from './batch.ts'
import { eventsToAppend } from './events-to-append.ts'
import { endOf, foldFurther } from './known-ledger.ts'
import { isOfMonth, learnMonth } from './learn-month.ts'
import type { Beginning, LedgerEntry, LedgerOutcome } from './ledger-entry.ts'
import { type Folded, loadStated } from './load-stated.ts'

export type LedgerPorts = { store: EventStore; clock: Clock; ids: Ids; log?: Logger }

export type LedgerOptions = {
  /**
   * How long a call is repeated while the store answers no append of this process, milliseconds. A conflict is an
   * answer: the commands are decided again on the newer ledger, as often as it takes.
   */
  giveUpAfterMs: number
  /**
   * The longest time to gather commands that can wait, while more debits of their organization are open,
   * milliseconds. They are gathered for as long as the last append took.
   */
  gatherAtMostMs: number
  /** Ledgers kept in memory. */
  cachedLedgers: number
}

/** The options if one process has all writers: they share each append anyway. */
export const ledgerDefaults: LedgerOptions = { giveUpAfterMs: 5000, gatherAtMostMs: 0, cachedLedgers: 10_000 }

/** The options if other processes write to the same ledgers. */
export const besideOthers: LedgerOptions = { ...ledgerDefaults, gatherAtMostMs: 250 }

/** The wait after a second conflict in a row without an append of another process, milliseconds. */
const NO_PROGRESS_MS = 100

const PREFIX = streams.credits('')

/**
 * The credits of all organizations: the only writer of `credits-` streams. Commands of one organization that arrive
 * together are decided together and appended in one call, at the exact revision of the ledger that they were decided
 * on. If other processes append to the same ledgers, the feed that this process follows brings their events (`take`).
 */
export class Ledgers implements FeedReader {
  readonly prefixes = [PREFIX]
  /** Shared by all callers that accept jobs on this store. */
  readonly patience: Patience
  readonly #ports: LedgerPorts
  readonly #options: LedgerOptions
  readonly #accounts: LRUCache<string, Account>
  readonly #atWork = new Map<string, Account>()

  constructor(ports: LedgerPorts, options: LedgerOptions = ledgerDefaults) {
    this.#ports = ports
    this.#options = options
    this.patience = new Patience(options.giveUpAfterMs)
    this.#accounts = new LRUCache(growingTo(options.cachedLedgers))
  }

  /**
   * Carries out a command. An outcome that changes nothing (short of credits, not open, the same plan) is never
   * decided from memory: the stream is first read to its end.
   * @throws LedgerBusyError if the store could not be read, or not written in time
   * @param canWait no caller waits for the command: it may be gathered with others
   */
  execute(orgId: string, entry: LedgerEntry, { canWait = false } = {}): Promise<LedgerOutcome> {
    const account = this.#account(orgId)
    return new Promise((resolve, reject) => {
      account.waiting.push({ entry, resolve, reject, since: this.#ports.clock.now(), canWait })
      if (!canWait) account.gathering?.abort()
      if (account.working) return
      account.working = true
      this.#atWork.set(orgId, account)
      void this.#work(account)
    })
  }

  /** Reads a piece of the feed, so that the ledgers in memory learn what others have appended. */
  take({ events }: Pick<FeedBatch, 'events'>): void {
    for (const event of events) {
      if (!event.stream.startsWith(PREFIX)) continue
      const orgId = event.stream.slice(PREFIX.length)
      // Events of the feed do not keep an unused ledger in memory.
      const account = this.#atWork.get(orgId) ?? this.#accounts.peek(orgId)
      account?.known.take(event)
    }
  }

  /**
   * The current ledger of the stream, with the renewal applied that is due at an instant.
   * @throws LedgerBusyError if the store could not be read
   */
  async current(orgId: string, instant = this.#ports.clock.now()): Promise<Ledger> {
    return asIfRecorded((await this.#currentFold(orgId)).ledger, instant)
  }

  /**
   * The outcome that a command would have now. Writes nothing.
   * @throws LedgerBusyError if the store could not be read
   */
  async outcomeOf(orgId: string, command: CreditsCommand): Promise<CreditsOutcome> {
    const { outcomes } = decideTogether([command], await this.current(orgId))
    return outcomes[0] ?? { type: 'nothing' }
  }

  /**
   * The ledger as this process knows it, which may be out of date. Reads it only if it is unknown.
   * @throws LedgerBusyError if the store could not be read
   */
  async known(orgId: string): Promise<Folded> {
    const account = this.#account(orgId)
    return account.known.folded ?? (await this.#firstRead(account))
  }

  /** Callers at the same time share one read. */
  #firstRead(account: Account): Promise<Folded> {
    account.reading ??= this.#catchUpUntil(account, this.#ports.clock.now() + this.#options.giveUpAfterMs)
      .catch((cause: unknown) => {
        throw new LedgerBusyError(account.orgId, cause)
      })
      .finally(() => {
        account.reading = undefined
      })
    return account.reading
  }

  #currentFold(orgId: string): Promise<Folded> {
    return this.#catchUp(this.#account(orgId)).catch((cause: unknown) => {
      throw new LedgerBusyError(orgId, cause)
    })
  }

  /** The balance as this process knows it, without a read. Undefined if the ledger is not in memory. */
  knownBalance(orgId: string): number | undefined {
    const folded = this.#known(orgId)?.known.folded
    return folded && asIfRecorded(folded.ledger, this.#ports.clock.now()).balance
  }

  /**
   * The plan, without a read. Undefined if this process has not seen the end of the ledger within this many
   * milliseconds.
   */
  knownPlan(orgId: string, staleAfterMs: number): Plan | undefined {
    const account = this.#known(orgId)
    const isFresh = account !== undefined && this.#ports.clock.now() - account.atEndAt < staleAfterMs
    return isFresh ? account.known.folded?.ledger.plan : undefined
  }

  #known(orgId: string): Account | undefined {
    return this.#atWork.get(orgId) ?? this.#accounts.get(orgId)
  }

  /** Reads the balance. If that takes longer than `ms` milliseconds or fails: the balance that this process knows. */
  async balanceWithin(orgId: string, ms: number): Promise<number | undefined> {
    const over = new AbortController()
    const late = this.#ports.clock.sleep(ms, over.signal).catch(() => undefined)
    await Promise.race([this.current(orgId).catch(() => undefined), late])
    over.abort()
    return this.knownBalance(orgId)
  }

  #account(orgId: string): Account {
    const known = this.#known(orgId)
    if (known !== undefined) return known
    const account = newAccount(orgId)
    this.#accounts.set(orgId, account)
    return account
  }

  async #work(account: Account): Promise<void> {
    while (account.waiting.length > 0) {
      if (this.#options.gatherAtMostMs > 0) await this.#gather(account)
      const waiting = account.waiting.splice(0, fittingOf(account.waiting))
      await this.#serve(account, waiting).catch((cause: unknown) => {
        account.known.forget()
        const error =
          isAnswer(cause) || cause instanceof LedgerBusyError ? cause : new LedgerBusyError(account.orgId, cause)
        for (const one of waiting) if (!account.waiting.includes(one)) one.reject(error)
      })
    }
    account.working = false
    this.#atWork.delete(account.orgId)
  }

  /** Waits for more commands to append together, if no caller waits for the present ones and more debits are open. */
  async #gather(account: Account): Promise<void> {
    const { waiting, known, tookMs } = account
    const open = known.folded?.ledger.openDebits.size ?? 0
    if (open <= waiting.length || waiting.some(({ canWait }) => !canWait)) return
    account.gathering = new AbortController()
    const { signal } = account.gathering
    await this.#ports.clock.sleep(Math.min(tookMs, this.#options.gatherAtMostMs), signal).catch(() => undefined)
    account.gathering = undefined
  }

  /**
   * Carries out the commands of the first callers in one append. Callers without an answer after it wait on, ahead of
   * later ones. The steps are those of `handleCommand`, on the state in memory and for many commands at once.
   */
  async #serve(account: Account, waiting: readonly Waiting[]): Promise<void> {
    const giveUpAt = Math.min(...waiting.map(({ since }) => since)) + this.#options.giveUpAfterMs
    const known = account.known.folded
    // 1. Decide on the state in memory, unless a month may have ended since it was read.
    const isUsable = known !== undefined && isOfMonth(known, this.#ports.clock.now())
    const fromMemory = isUsable ? await this.#decide(waiting, known, giveUpAt) : undefined
    if (fromMemory !== undefined && changesAll(fromMemory)) return this.#carryOut(account, fromMemory, false, giveUpAt)
    // 2. A command may change nothing because that state is out of date. Then read the missing events, and decide on
    // those.
    const on = await this.#upToDate(account, waiting, giveUpAt)
    const batch = fromMemory?.batch ?? waiting
    // A ledger has no month before its first event.
    const fitting = on.revision === 'no-stream' ? batch.slice(0, 1) : batch
    account.waiting.unshift(...batch.slice(fitting.length))
    const decided = await this.#decide(fitting, on, giveUpAt)
    return this.#carryOut(account, decided, true, giveUpAt)
  }

  /** Decides the commands. A command that should begin an existing stream is answered, and left out. */
  async #decide(waiting: readonly Waiting[], on: Folded, giveUpAt: number): Promise<Decided> {
    const batch = await this.#withoutTaken(waiting, on, giveUpAt)
    const commands = batch.map(({ entry }) => entry.command)
    return { ...decideTogether(commands, on.ledger), on, batch }
  }

  /** A common append itself shows whether the stream exists. */
  async #withoutTaken(
    waiting: readonly Waiting[],
    { revision }: Folded,
    giveUpAt: number,
  ): Promise<readonly Waiting[]> {
    const isTaken = ({ entry: { begins } }: Waiting): boolean | Promise<boolean> => {
      if (begins === undefined || [revision, 'always'].includes(begins.absentAt)) return false
      return !this.#isAtomic(begins) && this.#isThere(begins.stream, giveUpAt)
    }
    const taken = await Promise.all(waiting.map(isTaken))
    return waiting.filter((one, index) => {
      if (taken[index]) one.resolve({ type: 'taken' })
      return !taken[index]
    })
  }

  /** Whether a stream's first events can be appended together with the debit that begins it. */
  #isAtomic({ events }: Beginning): boolean {
    return this.#ports.store.appendTogether !== undefined && events.size > 0
  }

  #isThere(stream: string, giveUpAt: number): Promise<boolean> {
    const { store } = this.#ports
    const giveUp = { giveUpAt, patience: this.patience }
    const look = async (): Promise<boolean> =>
      // In this order, so that a stream that is removed in between is found.
      (await store.read(stream, { from: 0, to: 0 })).length > 0 || store.isRemoved(stream)
    return readUntilAnswered(this.#ports, look, giveUp)
  }

  /**
   * Appends the decided events and answers the callers. If another process was first, they wait on: all will be
   * decided again, on a newer ledger.
   * @throws the last error, if the store has not answered for too long
   */
  async #carryOut(account: Account, decided: Decided, isOnStream: boolean, giveUpAt: number): Promise<void> {
    const { batch, outcomes, events } = decided
    const isDone = events.length === 0 || (await this.#append(account, decided, isOnStream, giveUpAt))
    if (isDone) for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] ?? { type: 'nothing' })
  }

  /** False: another process was first. */
  async #append(account: Account, decided: Decided, isOnStream: boolean, giveUpAt: number): Promise<boolean> {
    const { clock, ids } = this.#ports
    const stream = streams.credits(account.orgId)
    const metadata = decided.batch.map(({ entry }) => entry.metadata)
    const events = eventsToAppend(stream, decided, metadata, ids)
    const from = clock.now()
    const giveUp = { giveUpAt, patience: this.patience }
    const own = { stream, expected: decided.on.revision, events }
    try {
      const { revision } = await appendAtomically(this.#ports, own, this.#begun(decided), giveUp)
      account.known.keep({ ledger: decided.after, revision })
      account.atEndAt = from
      return true
    } catch (error) {
      const taken = takenOf(decided.batch, error)
      for (const { resolve } of taken) resolve({ type: 'taken' })
      if (taken.length === 0) await this.#afterConflict(account, decided.on, { isOnStream, error, giveUpAt })
      const others = decided.batch.filter((one) => !taken.includes(one))
      // A refusal is an answer.
      for (const one of others) one.since = clock.now()
      account.waiting.unshift(...others)
      return false
    } finally {
      account.tookMs = clock.now() - from
    }
  }

  /**
   * The streams that begin with these debits, to be appended together with them. Empty if the store cannot append
   * together.
   */
  #begun({ batch, outcomes }: Decided): StreamAppend[] {
    if (this.#ports.store.appendTogether === undefined) return []
    return batch.flatMap(({ entry: { begins } }, index): StreamAppend[] => {
      const outcome = outcomes[index]
      if (begins === undefined || outcome?.type !== 'debited') return []
      const events = begins.events.get(outcome.credits)
      return events === undefined ? [] : [{ stream: begins.stream, expected: 'no-stream', events }]
    })
  }

  /**
   * Reads what others have appended, unless the feed has brought it. If none has appended, the ledger in memory is
   * not that of the stream (the store was put back to an older copy). Then it is read from the beginning.
   * @throws an error that is not a conflict
   */
  async #afterConflict(
    account: Account,
    on: Folded,
    { isOnStream, error, giveUpAt }: { isOnStream: boolean; error: unknown; giveUpAt: number },
  ): Promise<void> {
    if (!isAnswer(error)) throw new LedgerBusyError(account.orgId, error, true)
    if (!(error instanceof RevisionConflictError)) throw error
    const { clock } = this.#ports
    const end = endOf(error.actual)
    const known = account.known.folded
    if (known !== undefined && endOf(known.revision) >= end && known.revision !== on.revision) return
    if (end > endOf(on.revision)) {
      await this.#catchUpUntil(account, giveUpAt, end)
      return
    }
    account.known.forget()
    if (!isOnStream) return
    if (clock.now() >= giveUpAt) throw error
    await clock.sleep(NO_PROGRESS_MS)
  }

  /** Reads the events that the ledger in memory lacks, and asks for the month if this clock is in another one. */
  async #upToDate(account: Account, [first]: readonly Waiting[], giveUpAt: number): Promise<Folded> {
    const catchUp = (): Promise<Folded> => this.#catchUpUntil(account, giveUpAt)
    const on = await catchUp()
    if (first === undefined || on.revision === 'no-stream' || isOfMonth(on, this.#ports.clock.now())) return on
    const giveUp = { giveUpAt, patience: this.patience }
    const { metadata } = first.entry
    return account.known.keep(await learnMonth(this.#ports, on, { account, metadata, giveUp, catchUp }))
  }

  /** Reads the events after the ledger in memory. Repeats a read without an answer. */
  #catchUpUntil(account: Account, giveUpAt: number, to?: number): Promise<Folded> {
    const giveUp = { giveUpAt, patience: this.patience }
    return readUntilAnswered(this.#ports, () => this.#catchUp(account, to), giveUp)
  }

  /** Reads the events after the ledger in memory, up to a revision that the stream has, and folds them. */
  async #catchUp(account: Account, to?: number): Promise<Folded> {
    const stream = streams.credits(account.orgId)
    const from = this.#ports.clock.now()
    const known = account.known.folded ?? (await loadStated(this.#ports.store.readBackwards(stream)))
    const range = { from: endOf(known.revision) + 1, ...(to !== undefined && { to }) }
    const tail = await this.#ports.store.read(stream, range)
    if (to === undefined) account.atEndAt = from
    return account.known.keep(tail.length === 0 ? known : foldFurther(known, tail))
  }
}
