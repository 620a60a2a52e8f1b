import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { type Views, ViewsUnreadableError } from '#packages/ports/views.ts'
import { isJobId } from './job-id.ts'
import type { JobWatch } from './job-watch.ts'

type Ports = { store: EventStore; views: Views; ledgers: Ledgers; clock: Clock; watch: JobWatch }

/** A job, and the organization that requests it. */
export type Owned = { jobId: string; orgId: string }

/** The events of a job that are shown, oldest first. */
export type ShownEvents = {
  events: readonly StoredEvent[]
  /**
   * `none`: the job has not ended. `settling`: it has ended, but its end is hidden until polls show it too.
   * `unsettled`: its end is shown, although its debit is not settled yet, because settling takes long.
   */
  end: 'none' | 'settling' | 'unsettled' | 'settled'
}

/** The longest pause between looks for new events, milliseconds. */
const LOOK_EVERY_MS = 500

/** Reads the events of jobs for their owners. An end is shown once a poll would show it, with its result. */
export class JobHistory {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /**
   * All shown events. Undefined if this organization has no such job. Also undefined if the job was never accepted, and
   * its only event is an end that is not shown yet.
   */
  async read(owned: Owned): Promise<ShownEvents | undefined> {
    if (!isJobId(owned.jobId)) return undefined
    const events = await this.#ports.store.read(streams.job(owned.jobId))
    if (ownerOf(events[0]) !== owned.orgId) return undefined
    const shown = await this.#shown(owned, events)
    return shown.events.length === 0 ? undefined : shown
  }

  /** The events from a revision on, for a job that was read before. */
  async readFrom(owned: Owned, revision: number): Promise<ShownEvents> {
    return this.#shown(owned, await this.#ports.store.read(streams.job(owned.jobId), { from: revision }))
  }

  /**
   * Waits until there may be new events.
   * @param position the position of the job's view at the last call, or 0
   * @returns its current position; undefined if the job was removed
   */
  async wait(jobId: string, position: number, signal: AbortSignal): Promise<number | undefined> {
    const { views, clock } = this.#ports
    try {
      // Few events change the view. For the others, the wait ends by its time limit.
      const changed = await views.waitForChange('jobs', jobId, position, LOOK_EVERY_MS, signal)
      return changed === undefined && position > 0 ? undefined : (changed?.position ?? position)
    } catch (error) {
      if (!(error instanceof ViewsUnreadableError)) throw error
      // Rejected only by the abort.
      await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
      return position
    }
  }

  async #shown({ jobId, orgId }: Owned, events: readonly StoredEvent[]): Promise<ShownEvents> {
    const last = events.at(-1)
    if (last?.type !== 'JobCompleted' && last?.type !== 'JobFailed') return { events, end: 'none' }
    const seen = await this.#ports.watch.see({ jobId, orgId, kind: last.data.kind })
    // It was removed: nothing of it is shown any more.
    if (seen === undefined) return { events: [], end: 'settled' }
    if (seen.status === 'queued') return { events: events.slice(0, -1), end: 'settling' }
    const { openDebits } = await this.#ports.ledgers.current(orgId)
    return { events, end: openDebits.has(jobId) ? 'unsettled' : 'settled' }
  }
}

/** The owner, from a job's first event. */
const ownerOf = (first: StoredEvent | undefined): string | undefined =>
  first?.type === 'JobRequested' || first?.type === 'JobFailed' ? first.data.orgId : undefined
