import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { type BatchCommand, batch } from '#packages/domain/batch/batch.ts'
import { type BatchItem, countsOf, isKnown, type KnownBatch } from '#packages/domain/batch/state.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import type { FeedLag } from '#packages/events/store/feed-lag.ts'
import { handleAtRevision } from '#packages/events/store/handle-at-revision.ts'
import { type OwnerPorts, OwnerRole } from '#packages/events/store/owner-role.ts'
import { toAppend } from '#packages/events/store/to-append.ts'
import { untilReached } from '#packages/events/store/until-reached.ts'
import { inParallel } from '#packages/foundation/concurrency/in-parallel.ts'
import type { createAcceptance } from '#packages/jobs/acceptance/create-acceptance.ts'
import type { DateOf } from '#packages/platforms/sources/date-of.ts'
import type { ReadSource } from '#packages/platforms/sources/read-source.ts'
import { type FeedBatch, RevisionConflictError, StreamRemovedError } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { BeginningPace, MOST_AT_WORK } from './beginning-pace.ts'
import { ItemJobs } from './item-jobs.ts'
import { type OpenBatch, OpenBatches } from './open-batches.ts'
import { SourcePages } from './source-pages.ts'
import { loadStart } from './start.ts'

export type BatchOwnerPorts = OwnerPorts & { ledgers: Ledgers }

export type BatchOwnerOptions = {
  /** Multiplies the number of items that may begin in a minute under the plan. */
  paceFactor: number
}

/** Accepts the jobs of items, and reads the sources of batches. */
export type BatchOwnerParts = Pick<ReturnType<typeof createAcceptance>, 'acceptance' | 'admission' | 'pace'> & {
  readSource: ReadSource
  dateOf: DateOf
}

const TICK_MS = 1000

/** Time limit for one append, milliseconds. */
const GIVE_UP_AFTER_MS = 5000

/** No item begins while a job would wait longer than this for its turn, seconds. */
const MOST_WAIT_SECONDS = 5

/** The most organizations that proceed at once, and the most jobs requested at once. */
const AT_ONCE = 8

/**
 * Moves batches forward while this process is the owner. It begins items at the pace of their organization and records
 * how they end. When the whole batch has ended, it releases the remaining credits. A standby follows the feed too.
 *
 * All state is folded from events, so the process may stop at any instant while another acts as owner. An append
 * succeeds only at the revision that was read.
 */
export class BatchOwner {
  /** How far it is behind the feed. */
  readonly lag: FeedLag
  readonly #role: OwnerRole
  readonly #ports: BatchOwnerPorts
  readonly #parts: BatchOwnerParts
  readonly #options: BatchOwnerOptions
  readonly #jobs: ItemJobs
  readonly #pages: SourcePages
  readonly #pace: BeginningPace
  #batches = new OpenBatches()
  /** Ends the sleep between two ticks early. */
  #sooner = new AbortController()

  /** Resolves when the feed has been read to its end. From then on the owner acts, and a standby can take over. */
  readonly ready: Promise<void>

  constructor(ports: BatchOwnerPorts, parts: BatchOwnerParts, options: BatchOwnerOptions) {
    this.#ports = ports
    this.#parts = parts
    this.#options = options
    this.#role = new OwnerRole(ports, () => this.#takeOver())
    this.lag = this.#role.lag
    this.ready = this.#role.ready
    this.#jobs = new ItemJobs({ ...ports, ...parts })
    this.#pages = new SourcePages(ports, parts)
    this.#pace = new BeginningPace(ports.clock)
    ports.telemetry.observe(metrics.batchesOwner, () => [{ value: Number(this.#role.acts) }])
    ports.telemetry.observe(metrics.openBatches, () => [{ value: this.#role.acts ? this.#batches.size : 0 }])
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#sooner.abort())
    await Promise.all([
      this.#role.run(
        {
          prefixes: ['credits-', 'batch-', 'key-', 'removal-'],
          begin: (own) => this.#begin(own),
          take: (piece) => this.#take(piece),
        },
        signal,
      ),
      this.#everySecond(signal),
    ])
    await this.#role.settled()
  }

  async #begin(signal: AbortSignal): Promise<number> {
    const start = await untilReached(this.#ports, 'batches', () => loadStart(this.#ports), signal)
    if (start === undefined) return 0
    this.#batches = start.batches
    return start.after
  }

  #take(piece: FeedBatch): void {
    const { events, caughtUp } = piece
    this.#ports.ledgers.take(piece)
    let hasNews = false
    for (const event of events) {
      const open = this.#batches.apply(event)
      hasNews ||= open !== undefined && event.type !== 'BatchItemsEnded'
    }
    if (!this.#role.isCaughtUp && caughtUp) this.#role.caughtUp({ batches: this.#batches.size })
    // Requests begun items at once; gathers ends for up to a second.
    if (hasNews) this.#sooner.abort()
  }

  /** Makes this process the owner, and looks up the jobs that an earlier owner requested and how they ended. */
  #takeOver(): void {
    this.#ports.log.info({ batches: this.#batches.size }, 'letting batches proceed')
    for (const { asked } of this.#batches) asked.clear()
    this.#sooner.abort()
  }

  async #everySecond(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#role.acts) await this.#proceed(signal)
      if (this.#sooner.signal.aborted) this.#sooner = new AbortController()
      else await this.#ports.clock.sleep(TICK_MS, this.#sooner.signal).catch(() => {})
    }
  }

  /** Runs organizations in parallel, and the batches of one organization in sequence, oldest first. */
  async #proceed(signal: AbortSignal): Promise<void> {
    const byOrganization = Map.groupBy(this.#batches, ({ metadata }) => metadata.orgId)
    this.#pace.keepOnly((orgId) => byOrganization.has(orgId))
    const all = inParallel([...byOrganization], AT_ONCE, signal, async ([orgId, batches]) => {
      try {
        await this.#proceedOf(orgId, batches, signal)
      } catch (err) {
        if (!signal.aborted) this.#ports.log.warn({ err, orgId }, 'batches could not proceed; trying again')
      }
    })
    await all.catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }

  async #proceedOf(orgId: string, batches: readonly OpenBatch[], signal: AbortSignal): Promise<void> {
    let room = await this.#roomOf(orgId, batches)
    for (const open of batches) {
      const due = this.#jobs.dueIn(open)
      await inParallel(due, AT_ONCE, signal, (item) => this.#jobs.ask(open, item))
      if (!this.#role.acts || open.revision < open.awaits) continue
      if (this.#pages.isDue(open)) this.#role.own(this.#pages.readOn(open, signal))
      const begun = await this.#moveOn(open, room)
      room -= begun
      this.#pace.take(orgId, begun)
    }
  }

  /** How many items of an organization may begin now. */
  async #roomOf(orgId: string, batches: readonly OpenBatch[]): Promise<number> {
    const { ledgers } = this.#ports
    const { heavyRequestsPerMinute } = plans[(await ledgers.known(orgId)).ledger.plan]
    const room = this.#pace.room(orgId, heavyRequestsPerMinute * this.#options.paceFactor)
    const working = batches.reduce((sum, { state }) => sum + workingIn(state), 0)
    if (room <= 0 || working >= MOST_AT_WORK) return 0
    if ((await this.#parts.admission.waitSeconds('bulk', orgId)) > MOST_WAIT_SECONDS) return 0
    return Math.min(room, MOST_AT_WORK - working)
  }

  /** @returns how many items have begun */
  async #moveOn(open: OpenBatch, room: number): Promise<number> {
    const { state, batchId } = open
    if (state.status === 'refused' || state.status === 'ended') {
      await this.#release(open)
      return 0
    }
    const command = await this.#commandFor(open, room)
    const events = batch.decide(command, state)
    if (events.length === 0) return 0
    const stream = streams.batch(batchId)
    try {
      const { revision } = await handleAtRevision(this.#ports, batch, {
        stream,
        command,
        state,
        revision: open.revision < 0 ? ('no-stream' as const) : open.revision,
        toAppend: (decided) => toAppend(stream, decided, open.metadata),
        giveUpAt: this.#ports.clock.now() + GIVE_UP_AFTER_MS,
      })
      open.awaits = revision === 'no-stream' ? -1 : revision
    } catch (error) {
      if (error instanceof StreamRemovedError) await this.#release(open)
      // Another owner appended first, or a caller cancelled the batch. The feed brings the change.
      else if (!(error instanceof RevisionConflictError)) throw error
      return 0
    }
    return events.reduce((sum, event) => sum + (event.type === 'BatchItemsBegun' ? event.data.items.length : 0), 0)
  }

  async #commandFor({ state, heldAt, isKeyRevoked, ends }: OpenBatch, room: number): Promise<BatchCommand> {
    const now = this.#ports.clock.now()
    if (!isKnown(state)) return { type: 'refuse', heldAt, now }
    if (isKeyRevoked && state.cancelled === null) return { type: 'cancel', reason: 'key_revoked', by: null }
    const waits = new Set<BatchItem['platform']>()
    if (room > 0)
      for (const { platform, url } of firstOfEach(state.items))
        if ((await this.#parts.pace.waitSeconds(url, state.orgId)) > MOST_WAIT_SECONDS) waits.add(platform)
    return { type: 'proceed', now, ends: [...ends.values()], room, waits }
  }

  async #release({ batchId, metadata }: OpenBatch): Promise<void> {
    const { orgId } = metadata
    await this.#ports.ledgers.execute(orgId, { command: { type: 'release', batchId }, metadata }, { canWait: true })
  }
}

const workingIn = (state: OpenBatch['state']): number => (isKnown(state) ? countsOf(state).working : 0)

/** The first item of each platform that has not begun yet. */
function firstOfEach(items: KnownBatch['items']): Iterable<BatchItem> {
  const first = new Map<BatchItem['platform'], BatchItem>()
  for (const item of items) if (item.state === 'queued' && !first.has(item.platform)) first.set(item.platform, item)
  return first.values()
}
