import { LRUCache } from 'lru-cache'
import { FeedLag } from '#packages/event-sourcing/feed-lag.ts'
import { type Follower, follow } from '#packages/event-sourcing/follow.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, FeedBatch } from '#packages/ports/event-store.ts'
import {
  type Document,
  type GuardedChange,
  type GuardedWrite,
  type Views,
  ViewsLostError,
  ViewsReplacedError,
} from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { Projection } from '#packages/views/projection.ts'
import { changesOf, keyOf, removedKeys, type Step, stepsOf } from './changes-of.ts'
import { noteShownJobs } from './note-shown-jobs.ts'

export type ProjectorPorts = { store: EventStore; views: Views; clock: Clock; log: Logger; telemetry: Telemetry }

const TRY_AGAIN_AFTER_MS = 500

/** The wait before views that are lost are begun again, milliseconds: they may be lost again at once. */
const BEGIN_AGAIN_AFTER_MS = 100

/** How often the projector checks that the views still hold what it has written, milliseconds. */
const VERIFY_EVERY_MS = 1000

/** Documents in memory: the last ones that changed, which are likely to change next. */
const RECENT_DOCUMENTS = 1000

/** The most events without a write that are read before the checkpoint is saved. A restart reads them again. */
const UNSAVED_EVENTS = 1000

/** Streams that tell which others are to be gone, and their documents with them. */
const REMOVALS = 'removal-'

/** Keeps the documents of some projections in step with the feed, which it reads once for all of them. */
export class Projector {
  /** How far the views are behind the feed. */
  readonly lag: FeedLag
  readonly #ports: ProjectorPorts
  readonly #projections: readonly Projection[]
  readonly #names: readonly string[]
  readonly #log: Logger
  readonly #recent = new LRUCache<string, GuardedWrite>({ max: RECENT_DOCUMENTS })
  #unsavedEvents = 0
  /** Steps of unsaved events that may wait for the next write. */
  #waiting: readonly Step[] = []
  /** True once the views that were begun last have reached the end of the feed and can be read. */
  #isLive = false
  /** True while views are made anew: what is read was shown long ago. */
  #isHistory = false
  #announceReady: () => void = () => {}

  /** Resolves when the views have been brought up to the end of the feed for the first time. */
  readonly ready: Promise<void> = new Promise((resolve) => {
    this.#announceReady = resolve
  })

  constructor(ports: ProjectorPorts, projections: readonly Projection[]) {
    this.#ports = ports
    this.lag = new FeedLag(ports.clock)
    this.#projections = projections
    this.#names = projections.map(({ name }) => name)
    this.#log = ports.log.child({ projections: this.#names })
  }

  /** Runs until the signal is aborted. @throws UnknownEventError this program cannot read an event of the feed */
  async run(signal: AbortSignal): Promise<void> {
    const follower: Follower = {
      // A projection drops the events that it has read already.
      prefixes: [...new Set([REMOVALS, ...this.#projections.flatMap(({ prefixes }) => prefixes)])],
      lag: this.lag,
      begin: (own) => this.#begin(own),
      take: (batch, own) => this.#take(batch, own),
      watch: (own) => this.#verify(own),
      failed: (error) => this.#failed(error),
    }
    await follow(this.#ports, follower, signal)
  }

  async #begin(signal: AbortSignal): Promise<number> {
    const from = (await this.#untilDone(() => this.#ports.views.begin(this.#names), signal)) ?? 0
    // Their events are read again.
    this.#waiting = []
    this.#isHistory = from === 0
    return from
  }

  /** Begins again with views that were lost, or that another process has made anew, at their checkpoint. */
  #failed(error: unknown): number {
    if (!(error instanceof ViewsReplacedError)) throw error
    this.#isLive = false
    this.#recent.clear()
    if (error instanceof ViewsLostError) this.#log.warn({ err: error }, 'the views are lost: they are made anew')
    else this.#log.info('another process made the views anew: going on from their checkpoint')
    return BEGIN_AGAIN_AFTER_MS
  }

  /** Checks that the views still hold what was written. A write notices a loss too, but there may be none for long. */
  async #verify(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#ports.clock.sleep(VERIFY_EVERY_MS, signal).catch(() => {})
      if (signal.aborted) return
      try {
        await this.#ports.views.verify()
      } catch (error) {
        if (error instanceof ViewsReplacedError) throw error
        // The views may be whole or not: /ready looks for itself.
        this.#log.warn({ err: error }, 'the views cannot be checked for losses')
      }
    }
  }

  async #take(batch: FeedBatch, signal: AbortSignal): Promise<void> {
    await this.#apply(batch, signal)
    if (batch.caughtUp && !this.#isLive) await this.#untilDone(() => this.#goLive(), signal)
  }

  async #goLive(): Promise<void> {
    await this.#ports.views.makeReadable()
    this.#isLive = true
    this.#isHistory = false
    this.#announceReady()
  }

  /** Applies one batch; repeats it for as long as the views cannot be written. */
  async #apply({ events, position, caughtUp }: FeedBatch, signal: AbortSignal): Promise<void> {
    const steps = [...this.#waiting, ...stepsOf(this.#projections, events)]
    this.#unsavedEvents += events.length
    // No document has to change: the next write saves the checkpoint too, and until then an older one is safe.
    const mayWait = steps.every((step) => 'mayWait' in step && step.mayWait)
    if (mayWait && this.#unsavedEvents < UNSAVED_EVENTS && (this.#isLive || !caughtUp)) {
      this.#waiting = steps
      return
    }
    const startedAt = this.#ports.clock.now()
    await this.#untilDone(() => this.#write(steps, position), signal)
    if (this.#isHistory || signal.aborted) return
    noteShownJobs(this.#ports.telemetry, events, { startedAt, endedAt: this.#ports.clock.now() })
  }

  /** Repeats for as long as the views cannot be reached. Undefined where the signal is aborted first. */
  async #untilDone<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    while (!signal.aborted) {
      try {
        return await work()
      } catch (error) {
        if (error instanceof ViewsReplacedError) throw error
        this.lag.note(false)
        this.#log.error({ err: error }, 'the views cannot be reached')
        await this.#ports.clock.sleep(TRY_AGAIN_AFTER_MS, signal).catch(() => {})
      }
    }
    return undefined
  }

  async #write(steps: readonly Step[], checkpoint: number): Promise<void> {
    const changes = changesOf(steps, await this.#documentsOf(steps))
    await this.#ports.views.apply(this.#names, changes, checkpoint)
    this.#unsavedEvents = 0
    this.#waiting = []
    // Only after the write: a repeat must start from the stored documents.
    for (const change of changes) this.#keep(change)
    for (const step of steps) if ('place' in step && step.place === 'last') this.#recent.delete(keyOf(step))
  }

  #keep(change: GuardedChange): void {
    if (!('removes' in change)) this.#recent.set(keyOf(change), change)
    else for (const key of removedKeys(change, this.#recent)) this.#recent.delete(key)
  }

  /** The existing documents that the steps change. */
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
