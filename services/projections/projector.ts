import { LRUCache } from 'lru-cache'
import { FeedLag } from '#packages/events/store/feed-lag.ts'
import { type Follower, follow } from '#packages/events/store/follow.ts'
import type { Projection } from '#packages/events/views/projection.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, FeedBatch } from '#packages/ports/event-store.ts'
import {
  type AppliedTo,
  type Document,
  type GuardedChange,
  type GuardedWrite,
  type Views,
  ViewsLostError,
  ViewsReplacedError,
} from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { changesOf, keyOf, removedKeys, type Step, stepsOf } from './changes-of.ts'
import { noteShownJobs } from './note-shown-jobs.ts'

export type ProjectorPorts = { store: EventStore; views: Views; clock: Clock; log: Logger; telemetry: Telemetry }

const TRY_AGAIN_AFTER_MS = 500

/** Wait before lost views are rebuilt, milliseconds: they may be lost again at once. */
const BEGIN_AGAIN_AFTER_MS = 100

/**
 * After this long, a pending write counts as showing nothing new, milliseconds. Another program may hold the file of
 * the views.
 */
const WAITS_MS = 1000

/** Documents kept in memory: the most recently changed, which are the most likely to change next. */
const RECENT_DOCUMENTS = 1000

/**
 * Interval of checkpoint saves, milliseconds. Each save also writes the deferred changes, and checks that the views
 * still hold earlier writes. A restart reads the events since the last save again.
 */
const SAVE_EVERY_MS = 1000

/** The most events that are read before the checkpoint is saved. */
const UNSAVED_EVENTS = 1000

/** Streams that name the streams to remove, together with their documents. */
const REMOVALS = 'removal-'

/**
 * Keeps the documents of several projections in step with the feed, which it reads once for all of them. Other
 * processes may keep the same views. A projector that finds another's write continues from the stored checkpoint.
 */
export class Projector {
  /** How far the views are behind the feed. */
  readonly lag: FeedLag
  readonly #ports: ProjectorPorts
  readonly #projections: readonly Projection[]
  readonly #names: readonly string[]
  readonly #log: Logger
  readonly #recent = new LRUCache<string, GuardedWrite>({ max: RECENT_DOCUMENTS })
  /** Steps that are not written yet, by document key. A removal has a key of its own. */
  readonly #unwritten = new Map<string, Step[]>()
  /** The position up to which the feed was read, and the number of events since the last saved checkpoint. */
  #position = 0
  #unsavedEvents = 0
  #savedAt = Number.NEGATIVE_INFINITY
  #isCaughtUp = false
  /** Settles when the last queued work ends. Only one writes at a time. */
  #lastTurn: Promise<unknown> = Promise.resolve()
  /** True once the current views have reached the end of the feed and can be read. */
  #isLive = false
  /** When the current work on the views began; undefined while idle. */
  #tryingSince: number | undefined
  /** True during a rebuild: these events were shown long ago. */
  #isHistory = false
  readonly #ready = Promise.withResolvers<void>()

  /** Resolves when the views have reached the end of the feed for the first time. */
  readonly ready: Promise<void> = this.#ready.promise

  constructor(ports: ProjectorPorts, projections: readonly Projection[], lag = new FeedLag(ports.clock)) {
    this.#ports = ports
    this.lag = lag
    this.#projections = projections
    this.#names = projections.map(({ name }) => name)
    this.#log = ports.log.child({ projections: this.#names })
  }

  /** Runs until the signal is aborted. @throws UnknownEventError this program cannot read an event of the feed */
  async run(signal: AbortSignal): Promise<void> {
    const follower: Follower = {
      prefixes: [...new Set([REMOVALS, ...this.#projections.flatMap(({ prefixes }) => prefixes)])],
      lag: this.lag,
      begin: (own) => this.#begin(own),
      take: (batch, own) => this.#inTurn(() => this.#take(batch, own)),
      watch: (own) => this.#watch(own),
      failed: (error) => this.#failed(error),
    }
    await follow(this.#ports, follower, signal)
  }

  /** True if the views show every event. */
  get isLive(): boolean {
    const waits = this.#tryingSince !== undefined && this.#ports.clock.now() - this.#tryingSince > WAITS_MS
    return this.#isLive && this.lag.behindMs === undefined && !waits
  }

  async #begin(signal: AbortSignal): Promise<number> {
    const from = (await this.#untilDone(() => this.#ports.views.begin(), signal)) ?? 0
    // The follower will read the events of these steps again.
    this.#unwritten.clear()
    this.#unsavedEvents = 0
    this.#position = from
    this.#isHistory = from === 0
    return from
  }

  /** Starts again with views that were lost, rebuilt, or written by another process. */
  #failed(error: unknown): number {
    if (!(error instanceof ViewsReplacedError)) throw error
    this.#isLive = false
    this.#recent.clear()
    if (error instanceof ViewsLostError) this.#log.warn({ err: error }, 'the views are lost: they are rebuilt')
    else this.#log.info('another process has written the views: going on from their checkpoint')
    return BEGIN_AGAIN_AFTER_MS
  }

  /**
   * Saves what was read since the last checkpoint, and checks that the views still hold earlier writes. Without this,
   * neither would happen until the next event.
   */
  async #watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#ports.clock.sleep(SAVE_EVERY_MS, signal).catch(() => {})
      await this.#inTurn(() => this.#saveAtRest(signal))
      if (!signal.aborted) await this.#inTurn(() => this.#verify())
    }
  }

  async #saveAtRest(signal: AbortSignal): Promise<void> {
    if (this.#unsavedEvents === 0) return
    await this.#untilDone(() => this.#save(), signal)
    if (!signal.aborted) this.lag.note(this.#isCaughtUp)
  }

  async #verify(): Promise<void> {
    try {
      await this.#ports.views.verify()
    } catch (error) {
      if (error instanceof ViewsReplacedError) throw error
      // The views may be whole or not: /ready checks for itself.
      this.#log.warn({ err: error }, 'the views cannot be checked for losses')
    }
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    // The caller of that work handles its error.
    const turn = this.#lastTurn.catch(() => undefined).then(work)
    this.#lastTurn = turn
    return turn
  }

  async #take(batch: FeedBatch, signal: AbortSignal): Promise<void> {
    await this.#apply(batch, signal)
    if (batch.caughtUp && !this.#isLive) await this.#untilDone(() => this.#goLive(), signal)
  }

  async #goLive(): Promise<void> {
    await this.#ports.views.makeReadable()
    this.#isLive = true
    this.#isHistory = false
    this.#ready.resolve()
  }

  /**
   * Writes the changes that callers wait for, or everything that was read. Retries for as long as the views cannot be
   * written.
   */
  async #apply({ events, position, caughtUp }: FeedBatch, signal: AbortSignal): Promise<void> {
    const steps = stepsOf(this.#projections, events)
    for (const step of steps) this.#add(step)
    this.#unsavedEvents += events.length
    this.#position = position
    this.#isCaughtUp = caughtUp
    const startedAt = this.#ports.clock.now()
    const write = this.#mustSave(steps) ? () => this.#save() : () => this.#writeAwaited(steps)
    await this.#untilDone(write, signal)
    if (this.#isHistory || signal.aborted) return
    noteShownJobs(this.#ports.telemetry, events, { startedAt, endedAt: this.#ports.clock.now() })
  }

  #add(step: Step): void {
    const key = 'removes' in step ? REMOVALS : keyOf(step)
    const others = this.#unwritten.get(key)
    if (others === undefined) this.#unwritten.set(key, [step])
    else others.push(step)
  }

  /** Saves the first change after a pause at once. Many changes in a row share a checkpoint. */
  #mustSave(newest: readonly Step[]): boolean {
    if (this.#isCaughtUp && !this.#isLive) return true
    if (this.#unsavedEvents >= UNSAVED_EVENTS) return true
    if (newest.some((step) => 'removes' in step)) return true
    return this.#unwritten.size > 0 && this.#ports.clock.now() >= this.#savedAt + SAVE_EVERY_MS
  }

  /** Writes everything, and the checkpoint. */
  async #save(): Promise<void> {
    const steps = [...this.#unwritten.values()].flat().sort((one, other) => one.position - other.position)
    await this.#write(steps, { position: this.#position, checkpoint: this.#position })
    this.#unwritten.clear()
    this.#unsavedEvents = 0
    this.#savedAt = this.#ports.clock.now()
  }

  /** Writes the documents that have an urgent change, with all their changes so far. */
  async #writeAwaited(newest: readonly Step[]): Promise<void> {
    const keys = new Set<string>()
    for (const step of newest) if ('id' in step && step.written !== 'later') keys.add(keyOf(step))
    if (keys.size === 0) return
    const steps = [...keys].flatMap((key) => this.#unwritten.get(key) ?? [])
    await this.#write(steps, { position: this.#position })
    for (const key of keys) this.#unwritten.delete(key)
  }

  /** Retries while the views cannot be reached. Undefined if the signal is aborted first. */
  async #untilDone<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    while (!signal.aborted) {
      this.#tryingSince ??= this.#ports.clock.now()
      try {
        const done = await work()
        this.#tryingSince = undefined
        return done
      } catch (error) {
        if (error instanceof ViewsReplacedError) throw error
        this.lag.note(false)
        this.#log.error({ err: error }, 'the views cannot be reached')
        await this.#ports.clock.sleep(TRY_AGAIN_AFTER_MS, signal).catch(() => {})
      }
    }
    return undefined
  }

  async #write(steps: readonly Step[], to: AppliedTo): Promise<void> {
    const changes = changesOf(steps, await this.#documentsOf(steps))
    await this.#ports.views.apply(changes, to)
    // Keeps the documents only after the write, because a retry must start from the stored ones.
    for (const change of changes) this.#keep(change)
    for (const step of steps) if ('place' in step && step.place === 'last') this.#recent.delete(keyOf(step))
  }

  #keep(change: GuardedChange): void {
    if (!('removes' in change)) this.#recent.set(keyOf(change), change)
    else for (const key of removedKeys(change, this.#recent)) this.#recent.delete(key)
  }

  /** The stored documents that the steps change. */
  async #documentsOf(steps: readonly Step[]): Promise<Map<string, GuardedWrite>> {
    const documents = new Map<string, GuardedWrite>()
    const begun = new Set<string>()
    for (const collection of this.#names) {
      const missing: string[] = []
      for (const step of steps) {
        if ('removes' in step || step.collection !== collection) continue
        const key = keyOf(step)
        const recent = this.#recent.get(key)
        if (recent !== undefined) documents.set(key, recent)
        else if (step.place === 'first') begun.add(key)
        else if (!begun.has(key)) missing.push(step.id)
      }
      if (missing.length === 0) continue
      for (const { id, position, ...fields } of await this.#ports.views.getMany<Document>(collection, missing))
        documents.set(keyOf({ collection, id }), { collection, id, position, fields })
    }
    return documents
  }
}
