import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import type { Document, GuardedWrite, Stored, Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Projection } from '#packages/views/projection.ts'

export type ProjectorPorts = { store: EventStore; views: Views; clock: Clock; log: Logger }

const TRY_AGAIN_AFTER_MS = 500

/** Keeps the documents of one projection in step with the feed. */
export class Projector {
  readonly #ports: ProjectorPorts
  readonly #projection: Projection
  readonly #log: Logger
  #announceReady: () => void = () => {}

  /** Resolves when the view has been brought up to the end of the feed for the first time. */
  readonly ready: Promise<void> = new Promise((resolve) => {
    this.#announceReady = resolve
  })

  constructor(ports: ProjectorPorts, projection: Projection) {
    this.#ports = ports
    this.#projection = projection
    this.#log = ports.log.child({ projection: projection.name })
  }

  /** Runs until the signal is aborted. @throws UnknownEventError the feed holds what this program cannot read */
  async run(signal: AbortSignal): Promise<void> {
    const { store, views } = this.#ports
    const { name, prefixes } = this.#projection
    const after = await views.checkpoint(name)
    for await (const batch of store.follow({ after, prefixes, signal })) {
      await this.#apply(batch.events, batch.position, signal)
      if (batch.caughtUp) this.#announceReady()
    }
  }

  /** Applies one batch; repeats it for as long as the views cannot be written. */
  async #apply(events: readonly StoredEvent[], position: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const writes = await this.#writesOf(events)
        await this.#ports.views.apply(this.#projection.name, writes, position)
        return
      } catch (error) {
        this.#log.error({ err: error }, 'the views cannot be written')
        await this.#ports.clock.sleep(TRY_AGAIN_AFTER_MS, signal).catch(() => {})
      }
    }
  }

  /** One write per event that changes a document, each on the document that the one before it leaves. */
  async #writesOf(events: readonly StoredEvent[]): Promise<GuardedWrite[]> {
    const { name: collection, documentIdOf, project } = this.#projection
    const ids = new Set(events.map(documentIdOf).filter((id) => id !== undefined))
    const stored = await this.#ports.views.getMany<Document>(collection, [...ids])
    const documents = new Map(stored.map((document) => [document.id, document]))
    const writes: GuardedWrite[] = []
    for (const event of events) {
      const id = documentIdOf(event)
      const current = id === undefined ? undefined : documents.get(id)
      if (id === undefined || (current !== undefined && current.position >= event.position)) continue
      const set = project(event, current)
      if (set === undefined) continue
      const { position } = event
      documents.set(id, { ...current, ...set, id, position } as Stored)
      writes.push({ collection, id, position, set })
    }
    return writes
  }
}
