import { LRUCache } from 'lru-cache'
import {
  asIfRenewed,
  type Credits,
  type CreditsCommand,
  type CreditsOutcome,
  type DecidedTogether,
  decideTogether,
} from '#packages/domain/credits/credits.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import { periodOf } from '#packages/domain/credits/months.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import { LedgerBusyError } from '#packages/errors/ledger-busy-error.ts'
import { isAnswer, readUntilAnswered } from '#packages/event-store/append-until-answered.ts'
import type { FeedReader } from '#packages/event-store/follow.ts'
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
import { appendBeside, isRefusedBeside } from './append-beside.ts'
import { eventsToAppend } from './events-to-append.ts'
import { endOf, foldFurther } from './known-ledger.ts'
import type { Executed, LedgerEntry, NoEntry, Prepare } from './ledger-entry.ts'
import { type Folded, loadStated } from './load-stated.ts'
import { warnOfClocks } from './warn-of-clocks.ts'

export type LedgerPorts = { store: EventStore; clock: Clock; ids: Ids; log?: Logger }

export type LedgerOptions = {
  /**
   * How long a call is repeated while the store answers no append of this process, milliseconds. A conflict is an answer:
   * the commands are decided again on the newer ledger, as often as it takes.
   */
  giveUpAfterMs: number
  /**
   * The longest that commands which can wait are gathered while more debits of their organization are open,
   * milliseconds. They are gathered for as long as the last append took.
   */
  gatherAtMostMs: number
  /** Ledgers kept in memory. */
  cachedLedgers: number
}

/** Where one process has all writers: they share each append anyway. */
export const ledgerDefaults: LedgerOptions = { giveUpAfterMs: 5000, gatherAtMostMs: 0, cachedLedgers: 10_000 }

/** Where other processes write to the same ledgers. */
export const besideOthers: LedgerOptions = { ...ledgerDefaults, gatherAtMostMs: 250 }

/**
 * Most events in one append that commands ask for. A renewal and a statement may be added: appends of more than 100
 * events end subscriptions of EventStoreDB.
 */
const MAX_EVENTS = 90

/** The wait after a second conflict in a row that shows no append of somebody else, milliseconds. */
const NO_PROGRESS_MS = 100

/** The most events that a command may ask for. */
const eventsOf = ({ type }: CreditsCommand): number => (type === 'settle' || type === 'change-plan' ? 2 : 1)

type Batch = { waiting: Waiting; entry: LedgerEntry; beside?: StreamAppend | undefined }[]

/** What was decided, and on what. */
type Decided = DecidedTogether & { on: Folded; isOnStream: boolean; batch: Batch }

const PREFIX = streams.credits('')

/**
 * The credits of all organizations: the only writer of `credits-` streams. Commands of one organization that arrive
 * together are decided together and appended in one call, at the exact revision of the ledger they were decided on.
 * Where other processes append to the same ledgers, the feed that this process follows brings their events (`take`).
 */
export class Ledgers implements FeedReader {
  readonly prefixes = [PREFIX]
  readonly #ports: LedgerPorts
  readonly #options: LedgerOptions
  readonly #accounts: LRUCache<string, Account>
  readonly #atWork = new Map<string, Account>()

  constructor(ports: LedgerPorts, options: LedgerOptions = ledgerDefaults) {
    this.#ports = ports
    this.#options = options
    this.#accounts = new LRUCache({ max: options.cachedLedgers })
  }

  /**
   * Carries out the command that `prepare` returns, and returns its result together with the outcome. An outcome that
   * changes nothing (short of credits, not open, the same plan) is never decided from memory: the stream is read to its
   * end first.
   * @throws LedgerBusyError the store could not be read, or not written in time
   * Errors thrown by `prepare` are passed on.
   * @param canWait nobody waits for the command: it may be gathered with others
   */
  execute<Prepared extends LedgerEntry | NoEntry>(
    orgId: string,
    prepare: Prepare<Prepared>,
    { canWait = false } = {},
  ): Promise<Executed<Prepared>> {
    const account = this.#account(orgId)
    return new Promise((answer, reject) => {
      const resolve = answer as Waiting['resolve']
      account.waiting.push({ prepare, resolve, since: this.#ports.clock.now(), canWait, isApart: false, reject })
      if (!canWait) account.gathering?.abort()
      if (account.working) return
      account.working = true
      this.#atWork.set(orgId, account)
      void this.#work(account)
    })
  }

  /** Reads a piece of the feed: the ledgers in memory learn what others have appended. */
  take({ events }: Pick<FeedBatch, 'events'>): void {
    for (const event of events) {
      if (!event.stream.startsWith(PREFIX)) continue
      const orgId = event.stream.slice(PREFIX.length)
      // An event does not keep a ledger in memory.
      const account = this.#atWork.get(orgId) ?? this.#accounts.peek(orgId)
      account?.known.take(event)
    }
  }

  /**
   * The ledger as its stream has it now, with the renewal that is due applied.
   * @throws LedgerBusyError the store could not be read
   */
  async current(orgId: string): Promise<Ledger> {
    return (await this.credits(orgId)).ledger
  }

  /** The same, and its months. @throws LedgerBusyError the store could not be read */
  async credits(orgId: string): Promise<Credits> {
    return asIfRenewed(await this.#currentFold(orgId), this.#ports.clock.now())
  }

  /**
   * The outcome that a command would have now. Nothing is written.
   * @throws LedgerBusyError the store could not be read
   */
  async outcomeOf(orgId: string, command: CreditsCommand): Promise<CreditsOutcome> {
    const { outcomes } = decideTogether([command], await this.#currentFold(orgId), this.#ports.clock.now())
    return outcomes[0] ?? { type: 'nothing' }
  }

  #currentFold(orgId: string): Promise<Folded> {
    return this.#catchUp(this.#account(orgId)).catch((cause: unknown) => {
      throw new LedgerBusyError(orgId, cause)
    })
  }

  /** The balance as this process knows it, without a read; undefined where the ledger is not in memory. */
  knownBalance(orgId: string): number | undefined {
    const folded = this.#known(orgId)?.known.folded
    return folded && asIfRenewed(folded, this.#ports.clock.now()).ledger.balance
  }

  /** The plan, without a read; undefined where this process has not seen the end of the ledger for so many milliseconds. */
  knownPlan(orgId: string, staleAfterMs: number): Plan | undefined {
    const account = this.#known(orgId)
    const isFresh = account !== undefined && this.#ports.clock.now() - account.atEndAt < staleAfterMs
    return isFresh ? account.known.folded?.ledger.plan : undefined
  }

  #known(orgId: string): Account | undefined {
    return this.#atWork.get(orgId) ?? this.#accounts.get(orgId)
  }

  /** The balance, read now; where that takes longer than `ms` milliseconds or fails, as this process knows it. */
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
      const waiting = account.waiting.splice(0, MAX_EVENTS)
      await this.#serve(account, waiting).catch((cause: unknown) => {
        account.known.forget()
        const error = isAnswer(cause) ? cause : new LedgerBusyError(account.orgId, cause)
        for (const one of waiting) if (!account.waiting.includes(one)) one.reject(error)
      })
    }
    account.working = false
    this.#atWork.delete(account.orgId)
  }

  /** Waits for more to append at once, where nobody waits for what is there, and more debits are open. */
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
   * Carries out the commands of the first callers in one append. Callers that have no answer after it wait on, ahead of
   * later ones. The steps are those of `handleCommand`, on the state in memory and for many commands at once.
   */
  async #serve(account: Account, waiting: Waiting[]): Promise<void> {
    const giveUpAt = Math.min(...waiting.map(({ since }) => since)) + this.#options.giveUpAfterMs
    let open = waiting
    let isOnStream = account.known.folded === undefined
    while (open.length > 0) {
      // 1. and 2. Read the events that the state in memory lacks, and fold them.
      const on = (!isOnStream && account.known.folded) || (await this.#catchUpUntil(account, giveUpAt))
      // 3. Decide.
      const batch = this.#asFarAsTheyFit(account, await this.#prepared(open, on.ledger))
      const commands = batch.map(({ entry }) => entry.command)
      const decision = decideTogether(commands, on, this.#ports.clock.now())
      const written = new Set(decision.owners)
      // A command may change nothing because the state in memory is out of date: decide again on the stream itself.
      if (written.size < batch.length && !isOnStream) {
        isOnStream = true
        open = batch.map((one) => one.waiting)
        continue
      }
      // 4. Append at the revision that was decided on.
      const decided = { ...decision, on, isOnStream, batch }
      if (decision.events.length > 0 && !(await this.#append(account, decided, giveUpAt))) {
        // 5. Somebody else was first: begin again, on the newer state.
        account.waiting.unshift(...batch.map((one) => one.waiting))
        return
      }
      batch.forEach(({ waiting, entry: prepared, beside }, index) => {
        const outcome = decision.outcomes[index] ?? { type: 'nothing' }
        waiting.resolve({ outcome, prepared, isTogether: beside !== undefined })
      })
      return
    }
  }

  /** The first commands of a batch, as many as fit into one append; the others wait on. */
  #asFarAsTheyFit(account: Account, batch: Batch): Batch {
    let events = 0
    const tooMany = batch.findIndex(({ entry }) => {
      events += eventsOf(entry.command)
      return events > MAX_EVENTS
    })
    if (tooMany === -1) return batch
    account.waiting.unshift(...batch.slice(tooMany).map(({ waiting }) => waiting))
    return batch.slice(0, tooMany)
  }

  async #prepared(open: Waiting[], ledger: Ledger): Promise<Batch> {
    const prepared = await Promise.all(
      open.map(async (waiting) => {
        try {
          const entry = await waiting.prepare(ledger)
          if (entry.command !== undefined) return { waiting, entry }
          waiting.resolve({ outcome: { type: 'nothing' }, prepared: entry, isTogether: false })
        } catch (error) {
          waiting.reject(error)
        }
        return undefined
      }),
    )
    return prepared.filter((one) => one !== undefined)
  }

  /**
   * Appends what was decided. False: somebody else was first, and the ledger in memory is a newer one.
   * @throws the last error, where the store has not answered for too long
   */
  async #append(account: Account, decided: Decided, giveUpAt: number): Promise<boolean> {
    const { clock, ids } = this.#ports
    const stream = streams.credits(account.orgId)
    const metadata = decided.batch.map(({ entry }) => entry.metadata)
    const events = eventsToAppend(stream, decided, metadata, ids)
    const from = clock.now()
    const giveUp = { giveUpAt, silenceMs: this.#options.giveUpAfterMs }
    const own = { stream, expected: decided.on.revision, events }
    const beside = this.#beside(decided)
    try {
      const { revision } = await appendBeside(this.#ports, own, beside, giveUp)
      this.#keepAppended(account, decided.after, revision)
      account.atEndAt = from
      return true
    } catch (error) {
      const isBeside = beside.length > 0 && isRefusedBeside(error, stream)
      if (!isBeside) await this.#afterConflict(account, decided, error, giveUpAt)
      // A refusal is an answer.
      for (const { waiting } of decided.batch) {
        waiting.since = clock.now()
        waiting.isApart ||= isBeside
      }
      return false
    } finally {
      account.tookMs = clock.now() - from
    }
  }

  /** What is to be appended together with the ledger's events; nothing where the store cannot. */
  #beside({ batch, outcomes }: Decided): StreamAppend[] {
    if (this.#ports.store.appendTogether === undefined) return []
    batch.forEach((one, index) => {
      const outcome = outcomes[index]
      if (outcome !== undefined && !one.waiting.isApart) one.beside = one.entry.beside?.(outcome)
    })
    return batch.flatMap(({ beside }) => beside ?? [])
  }

  /**
   * Keeps the ledger in memory after an append, as if the store's clock were this one. Where the last renewal was for a
   * later month (a clock ran ahead), renewal counts from the month that the store has recorded, which may be another one
   * as a month turns: the ledger is then read again.
   */
  #keepAppended(account: Account, { ledger, months }: Credits, revision: number): void {
    const recordedAt = this.#ports.clock.now()
    if (periodOf(recordedAt) < months.from) account.known.forget()
    else this.#keep(account, { ledger, months: { ...months, recordedAt }, revision })
  }

  /**
   * Reads what somebody else has appended, unless the feed has brought it. Where nobody has, the ledger in memory is not
   * that of the stream (the store was put back to an older copy): it is then read from the beginning.
   * @throws an error that is no conflict
   */
  async #afterConflict(account: Account, { on, isOnStream }: Decided, conflict: unknown, giveUpAt: number) {
    if (!(conflict instanceof RevisionConflictError)) throw conflict
    const { clock } = this.#ports
    const end = endOf(conflict.actual)
    const known = account.known.folded
    if (known !== undefined && endOf(known.revision) >= end && known.revision !== on.revision) return
    if (end > endOf(on.revision)) {
      await this.#catchUpUntil(account, giveUpAt, end)
      return
    }
    account.known.forget()
    if (!isOnStream) return
    if (clock.now() >= giveUpAt) throw conflict
    await clock.sleep(NO_PROGRESS_MS)
  }

  /** The same, and a read that gets no answer is repeated. */
  #catchUpUntil(account: Account, giveUpAt: number, to?: number): Promise<Folded> {
    const giveUp = { giveUpAt, silenceMs: this.#options.giveUpAfterMs }
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
    return this.#keep(account, tail.length === 0 ? known : foldFurther(known, tail))
  }

  #keep(account: Account, folded: Folded): Folded {
    const kept = account.known.keep(folded)
    const { log, clock } = this.#ports
    if (log !== undefined) warnOfClocks(log, account, kept, clock.now())
    return kept
  }
}
