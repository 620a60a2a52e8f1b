import { LRUCache } from 'lru-cache'
import type { EventMetadata } from '#contracts/generated/messages.ts'
import {
  asIfRenewed,
  type Credits,
  type CreditsCommand,
  type CreditsOutcome,
  credits,
  type DecidedTogether,
  decideTogether,
  evolveAll,
} from '#packages/domain/credits/credits.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import { periodOf } from '#packages/domain/credits/months.ts'
import { isEventOf } from '#packages/event-sourcing/decider.ts'
import { appendUntilAnswered, isAnswer } from '#packages/ports/append-until-answered.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type EventStore, type NewEvent, RevisionConflictError } from '#packages/ports/event-store.ts'
import { eventId, type Ids, streams } from '#packages/ports/ids.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { type Folded, loadStated } from './load-stated.ts'
import { warnOfClocks } from './warn-of-clocks.ts'

/** A command for a ledger, with its metadata. */
export type LedgerEntry = { command: CreditsCommand; metadata: EventMetadata }

/** No command: the ledger stays as it is. */
export type NoEntry = { command?: undefined }

/**
 * Chooses the command for the ledger as it stands. Called again, with the newer ledger, whenever somebody else has
 * appended first: so whatever it reads elsewhere is read after the ledger. The ledger may come from memory and be out
 * of date. An append is then refused, but "no entry" or an error of `prepare` is final: it has to be right for any past
 * state of the ledger.
 */
export type Prepare<Prepared extends LedgerEntry | NoEntry> = (ledger: Ledger) => Promise<Prepared> | Prepared

/** The last result of `prepare`, and the outcome of its command; outcome `nothing` where it had none. */
export type Executed<Prepared> = { outcome: CreditsOutcome; prepared: Prepared }

export type LedgerPorts = { store: EventStore; clock: Clock; ids: Ids; log?: Logger }

export type LedgerOptions = {
  /**
   * How long an append is repeated while the store does not answer, milliseconds. A conflict is an answer: the commands
   * are decided again on the newer ledger, as often as it takes.
   */
  giveUpAfterMs: number
  /** Ledgers kept in memory. */
  cachedLedgers: number
}

export const ledgerDefaults: LedgerOptions = { giveUpAfterMs: 5000, cachedLedgers: 10_000 }

/**
 * Most events in one append that commands ask for. A renewal and a statement may be added: appends of more than 100
 * events end subscriptions of EventStoreDB.
 */
const MAX_EVENTS = 90

/** The wait after a conflict where no append of somebody else is found, milliseconds. */
const NO_PROGRESS_MS = 100

/** The most events that a command may ask for. */
const eventsOf = ({ type }: CreditsCommand): number => (type === 'settle' || type === 'change-plan' ? 2 : 1)

/** The store did not answer: it is unknown whether the command took effect. */
export class LedgerBusyError extends Error {
  readonly code = 'ledger_busy'
  constructor(orgId: string, cause: unknown) {
    super(`the ledger of ${orgId} could not be read or written in time`, { cause })
  }
}

/** One caller's entry; `resolve` gives the caller the outcome. */
type Ready = { entry: LedgerEntry | NoEntry; resolve: (outcome: CreditsOutcome) => void }

type Waiting = {
  prepare: (ledger: Ledger) => Promise<Ready>
  since: number
  reject: (error: unknown) => void
}

/** One organization's ledger: its fold so far, and the callers that wait to change it. */
type Account = {
  orgId: string
  folded: Folded | undefined
  /** First come, first served. */
  waiting: Waiting[]
  working: boolean
  /** When the store last answered an append, or an append of somebody else was seen; milliseconds since 1970. */
  answeredAt: number
  /** Warnings about clocks that were logged. */
  warned: Set<string>
}

type Batch = (Ready & { waiting: Waiting; entry: LedgerEntry })[]

/**
 * The credits of all organizations: the only writer of `credits-` streams. Commands of one organization that arrive
 * together are decided together and appended in one call, at the exact revision of the ledger they were decided on.
 */
export class Ledgers {
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
   */
  execute<Prepared extends LedgerEntry | NoEntry>(
    orgId: string,
    prepare: Prepare<Prepared>,
  ): Promise<Executed<Prepared>> {
    const account = this.#account(orgId)
    return new Promise((resolve, reject) => {
      const ready = async (ledger: Ledger): Promise<Ready> => {
        const prepared = await prepare(ledger)
        return { entry: prepared, resolve: (outcome) => resolve({ outcome, prepared }) }
      }
      account.waiting.push({ prepare: ready, since: this.#ports.clock.now(), reject })
      if (account.working) return
      account.working = true
      this.#atWork.set(orgId, account)
      void this.#work(account)
    })
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
    const { folded } = this.#atWork.get(orgId) ?? this.#accounts.get(orgId) ?? {}
    return folded && asIfRenewed(folded, this.#ports.clock.now()).ledger.balance
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
    const known = this.#atWork.get(orgId) ?? this.#accounts.get(orgId)
    if (known !== undefined) return known
    const account: Account = {
      orgId,
      folded: undefined,
      waiting: [],
      working: false,
      answeredAt: 0,
      warned: new Set(),
    }
    this.#accounts.set(orgId, account)
    return account
  }

  async #work(account: Account): Promise<void> {
    while (account.waiting.length > 0) {
      const waiting = account.waiting.splice(0, MAX_EVENTS)
      await this.#serve(account, waiting).catch((cause: unknown) => {
        account.folded = undefined
        const error = isAnswer(cause) ? cause : new LedgerBusyError(account.orgId, cause)
        for (const one of waiting) if (!account.waiting.includes(one)) one.reject(error)
      })
    }
    account.working = false
    this.#atWork.delete(account.orgId)
  }

  /**
   * Carries out the commands of the first callers in one append. Callers that have no answer after it wait on, ahead of
   * later ones. The steps are those of `handleCommand`, on the state in memory and for many commands at once.
   */
  async #serve(account: Account, waiting: Waiting[]): Promise<void> {
    let open = waiting
    let fresh = account.folded === undefined
    while (open.length > 0) {
      // 1. and 2. Read the events that the state in memory lacks, and fold them.
      const folded = account.folded !== undefined && !fresh ? account.folded : await this.#catchUp(account)
      // 3. Decide.
      const batch = this.#asFarAsTheyFit(account, await this.#prepared(open, folded.ledger))
      const commands = batch.map(({ entry }) => entry.command)
      const decision = decideTogether(commands, folded, this.#ports.clock.now())
      const written = new Set(decision.owners)
      // A command may change nothing because the state in memory is out of date: decide again on the stream itself.
      if (written.size < batch.length && !fresh) {
        fresh = true
        open = batch.map((one) => one.waiting)
        continue
      }
      // 4. Append at the revision that was decided on.
      if (decision.events.length > 0 && !(await this.#append(account, folded, decision, batch))) {
        // 5. Somebody else was first: begin again, on the newer state.
        account.waiting.unshift(...batch.map((one) => one.waiting))
        return
      }
      batch.forEach((one, index) => {
        one.resolve(decision.outcomes[index] ?? { type: 'nothing' })
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
          const { entry, resolve } = await waiting.prepare(ledger)
          if (entry.command !== undefined) return { waiting, entry, resolve }
          resolve({ type: 'nothing' })
        } catch (error) {
          waiting.reject(error)
        }
        return undefined
      }),
    )
    return prepared.filter((one) => one !== undefined)
  }

  /**
   * Appends the events decided on `folded`. False: somebody else was first, and the ledger has been read again.
   * @throws the last error, where the store has not answered for too long
   */
  async #append(account: Account, folded: Folded, decision: DecidedTogether, batch: Batch): Promise<boolean> {
    const { clock } = this.#ports
    const stream = streams.credits(account.orgId)
    const events = this.#newEvents(stream, decision, batch)
    const waitedSince = Math.min(...batch.map(({ waiting }) => waiting.since))
    const giveUpAt = Math.max(waitedSince, account.answeredAt) + this.#options.giveUpAfterMs
    try {
      const { revision } = await appendUntilAnswered(this.#ports, stream, folded.revision, events, giveUpAt)
      account.answeredAt = clock.now()
      this.#keepAppended(account, decision.after, revision)
      return true
    } catch (error) {
      if (!(error instanceof RevisionConflictError)) throw error
      await this.#afterConflict(account, folded, error, giveUpAt)
      return false
    }
  }

  /**
   * Keeps the ledger in memory after an append, as if the store's clock were this one. Where the last renewal was for a
   * later month (a clock ran ahead), renewal counts from the month that the store has recorded, which may be another one
   * as a month turns: the ledger is then read again.
   */
  #keepAppended(account: Account, { ledger, months }: Credits, revision: number): void {
    const recordedAt = account.answeredAt
    if (periodOf(recordedAt) < months.from) account.folded = undefined
    else this.#keep(account, { ledger, months: { ...months, recordedAt }, revision })
  }

  /** Each event with the metadata of the command that it belongs to. */
  #newEvents(stream: string, { events, owners }: DecidedTogether, batch: Batch): NewEvent[] {
    return events.map((event, index): NewEvent => {
      const { metadata } = (batch[owners[index] ?? 0] as Batch[number]).entry
      // Two adjustments of the same size are two grants, also where two processes decide them on the same ledger.
      const isAdjustment = event.type === 'CreditsGranted' && event.data.reason === 'adjustment'
      // Two refunds of the same size that expire are two events.
      const step = event.type === 'CreditsRenewed' ? `${event.type}/${metadata.correlationId}/${index}` : event.type
      const id = isAdjustment ? this.#ports.ids.uuid() : eventId(stream, step, event.data)
      return { ...event, id, metadata }
    })
  }

  /**
   * Reads what somebody else has appended. Where nobody has, the ledger in memory is not that of the stream (the store
   * was put back to an older copy): it is then read from the beginning, and this does not postpone the time to give up.
   */
  async #afterConflict(account: Account, { revision }: Folded, conflict: unknown, giveUpAt: number): Promise<void> {
    const { clock } = this.#ports
    const read = await this.#catchUp(account)
    if (read.revision !== revision) {
      account.answeredAt = clock.now()
      return
    }
    if (clock.now() >= giveUpAt) throw conflict
    account.folded = undefined
    await clock.sleep(NO_PROGRESS_MS)
  }

  /** Reads the events after the fold in memory, and folds them. */
  async #catchUp(account: Account): Promise<Folded> {
    const stream = streams.credits(account.orgId)
    const known = account.folded ?? (await loadStated(this.#ports.store.readBackwards(stream)))
    const from = known.revision === 'no-stream' ? 0 : known.revision + 1
    const tail = await this.#ports.store.read(stream, { from })
    const own = tail.filter((event) => isEventOf(credits, event))
    const later = own.length === 0 ? known : evolveAll(known, own)
    const folded: Folded = { ...later, revision: tail.at(-1)?.revision ?? known.revision }
    return this.#keep(account, newer(folded, account.folded))
  }

  #keep(account: Account, folded: Folded): Folded {
    account.folded = folded
    const { log, clock } = this.#ports
    if (log !== undefined) warnOfClocks(log, account, folded, clock.now())
    return folded
  }
}

function newer(one: Folded, other: Folded | undefined): Folded {
  if (other === undefined || other.revision === 'no-stream') return one
  return one.revision === 'no-stream' || one.revision < other.revision ? other : one
}
