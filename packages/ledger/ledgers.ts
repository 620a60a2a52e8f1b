import { LRUCache } from 'lru-cache'
import type { EventMetadata } from '#contracts/generated/messages.ts'
import {
  asIfRenewed,
  decide,
  type LedgerCommand,
  type LedgerOutcome,
  periodOf,
} from '#packages/domain/credits/decide.ts'
import { evolveAll, initialLedger, type Ledger, type LedgerEvent } from '#packages/domain/credits/ledger.ts'
import { appendUntilAnswered, isAnswer } from '#packages/ports/append-until-answered.ts'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  RevisionConflictError,
  type StoredEvent,
} from '#packages/ports/event-store.ts'
import { eventId, type Ids, streams } from '#packages/ports/ids.ts'

/** What is to be done to a ledger, and on whose behalf. */
export type LedgerEntry = { command: LedgerCommand; metadata: EventMetadata }

/**
 * Decides what to ask of the ledger as it stands. Called again, with the newer ledger, whenever somebody else moved it
 * first: whatever it reads elsewhere is therefore read after the ledger. Undefined: nothing after all. The ledger may
 * come from memory: an append is refused where it is out of date, but what `prepare` answers itself (undefined, or an
 * error) has to be right for any ledger that was true once.
 */
export type Prepare = (ledger: Ledger) => Promise<LedgerEntry | undefined> | LedgerEntry | undefined

export type LedgerPorts = { store: EventStore; clock: Clock; ids: Ids }

export type LedgerOptions = {
  /** How long an append is tried again after conflicts and lost answers, milliseconds. */
  giveUpAfterMs: number
  /** Ledgers kept in memory. */
  cachedLedgers: number
}

export const ledgerDefaults: LedgerOptions = { giveUpAfterMs: 5000, cachedLedgers: 10_000 }

/** The ledger could not be read, or not written in time; whether a command took effect is not known. */
export class LedgerBusyError extends Error {
  readonly code = 'ledger_busy'
  constructor(orgId: string, cause: unknown) {
    super(`the ledger of ${orgId} could not be read or written in time`, { cause })
  }
}

type Waiting = {
  prepare: Prepare
  since: number
  resolve: (outcome: LedgerOutcome) => void
  reject: (error: unknown) => void
}

type Folded = { ledger: Ledger; revision: ExpectedRevision }

/** One organization's ledger: its fold so far, and who waits to change it. */
type Account = { orgId: string; folded: Folded | undefined; waiting: Waiting[]; working: boolean }

type Batch = { waiting: Waiting; entry: LedgerEntry }[]

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
   * Does to the ledger what `prepare` asks for. What changes nothing (short of credits, not open, the same plan) is
   * never answered from memory: the stream was read to its end for it.
   * @throws LedgerBusyError the store could not be read, or not written in time
   * Errors thrown by `prepare` are passed on.
   */
  execute(orgId: string, prepare: Prepare): Promise<LedgerOutcome> {
    const account = this.#account(orgId)
    return new Promise((resolve, reject) => {
      account.waiting.push({ prepare, since: this.#ports.clock.now(), resolve, reject })
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
    const { ledger } = await this.#catchUp(this.#account(orgId)).catch((cause: unknown) => {
      throw new LedgerBusyError(orgId, cause)
    })
    return asIfRenewed(ledger, periodOf(this.#ports.clock.now()))
  }

  #account(orgId: string): Account {
    const known = this.#atWork.get(orgId) ?? this.#accounts.get(orgId)
    if (known !== undefined) return known
    const account: Account = { orgId, folded: undefined, waiting: [], working: false }
    this.#accounts.set(orgId, account)
    return account
  }

  async #work(account: Account): Promise<void> {
    while (account.waiting.length > 0) {
      const waiting = this.#stillInTime(account.orgId, account.waiting.splice(0), 'waited too long for its turn')
      await this.#serve(account, waiting).catch((cause: unknown) => {
        account.folded = undefined
        const error = isAnswer(cause) ? cause : new LedgerBusyError(account.orgId, cause)
        for (const { reject } of waiting) reject(error)
      })
    }
    account.working = false
    this.#atWork.delete(account.orgId)
  }

  /** Decides and appends until everybody in `waiting` has an answer. */
  async #serve(account: Account, waiting: Waiting[]): Promise<void> {
    let open = waiting
    let fresh = account.folded === undefined
    while (open.length > 0) {
      const { ledger, revision } =
        account.folded !== undefined && !fresh ? account.folded : await this.#catchUp(account)
      const batch = await this.#prepared(open, ledger)
      const commands = batch.map(({ entry }) => entry.command)
      const decision = decide(commands, ledger, periodOf(this.#ports.clock.now()))
      const written = new Set(decision.eventOwners)
      const unchanged = batch.filter((_, index) => !written.has(index))
      if (unchanged.length > 0 && !fresh) {
        fresh = true
        open = batch.map((one) => one.waiting)
        continue
      }
      if (decision.events.length > 0) {
        const conflict = await this.#append(account, { ledger, revision }, decision, batch)
        if (conflict !== undefined) {
          const waitingOn = batch.map((one) => one.waiting)
          open = this.#stillInTime(account.orgId, waitingOn, conflict)
          fresh = true
          await this.#ports.clock.sleep(this.#ports.ids.random() * 20)
          continue
        }
      }
      batch.forEach((one, index) => {
        one.waiting.resolve(decision.outcomes[index] ?? { type: 'nothing' })
      })
      return
    }
  }

  async #prepared(open: Waiting[], ledger: Ledger): Promise<Batch> {
    const entries = await Promise.all(
      open.map(async (waiting) => {
        try {
          const entry = await waiting.prepare(ledger)
          if (entry === undefined) waiting.resolve({ type: 'nothing' })
          return entry === undefined ? undefined : { waiting, entry }
        } catch (error) {
          waiting.reject(error)
          return undefined
        }
      }),
    )
    return entries.filter((entry) => entry !== undefined)
  }

  #stillInTime(orgId: string, waiting: Waiting[], cause: unknown): Waiting[] {
    const limit = this.#ports.clock.now() - this.#options.giveUpAfterMs
    for (const late of waiting.filter(({ since }) => since < limit)) late.reject(new LedgerBusyError(orgId, cause))
    return waiting.filter(({ since }) => since >= limit)
  }

  /** Appends what was decided on `folded`. Returns the conflict if somebody else was first. */
  async #append(
    account: Account,
    folded: Folded,
    decision: { events: LedgerEvent[]; eventOwners: number[]; after: Ledger },
    batch: Batch,
  ): Promise<RevisionConflictError | undefined> {
    const stream = streams.credits(account.orgId)
    const events = decision.events.map((event, index): NewEvent => {
      const entry = batch[decision.eventOwners[index] ?? 0]?.entry as LedgerEntry
      // Two adjustments of the same size are two grants, also where two processes decide them on the same ledger.
      const isAdjustment = event.type === 'CreditsGranted' && event.data.reason === 'adjustment'
      const id = isAdjustment ? this.#ports.ids.uuid() : eventId(stream, event.type, event.data)
      return { ...event, id, metadata: entry.metadata }
    })
    try {
      const giveUpAt = Math.min(...batch.map(({ waiting }) => waiting.since)) + this.#options.giveUpAfterMs
      const { revision } = await appendUntilAnswered(this.#ports, stream, folded.revision, events, giveUpAt)
      account.folded = { ledger: decision.after, revision }
      return undefined
    } catch (error) {
      if (error instanceof RevisionConflictError) return error
      throw error
    }
  }

  /** Folds what the stream has beyond the fold in memory. */
  async #catchUp(account: Account): Promise<Folded> {
    const stream = streams.credits(account.orgId)
    const known = account.folded ?? (await this.#loadStated(stream))
    const from = known.revision === 'no-stream' ? 0 : known.revision + 1
    const tail = (await this.#ports.store.read(stream, { from })) as (StoredEvent & LedgerEvent)[]
    const ledger = tail.length === 0 ? known.ledger : evolveAll(known.ledger, tail)
    const folded: Folded = { ledger, revision: tail.at(-1)?.revision ?? known.revision }
    account.folded = newer(folded, account.folded)
    return account.folded
  }

  /** Reads backwards to the last CreditsStated, so that age costs nothing. */
  async #loadStated(stream: string): Promise<Folded> {
    const events: LedgerEvent[] = []
    let revision: ExpectedRevision = 'no-stream'
    for await (const event of this.#ports.store.readBackwards(stream)) {
      if (revision === 'no-stream') revision = event.revision
      events.push(event as LedgerEvent)
      if (event.type === 'CreditsStated') break
    }
    return { ledger: evolveAll(initialLedger, events.reverse()), revision }
  }
}

function newer(one: Folded, other: Folded | undefined): Folded {
  if (other === undefined || other.revision === 'no-stream') return one
  return one.revision === 'no-stream' || one.revision < other.revision ? other : one
}
