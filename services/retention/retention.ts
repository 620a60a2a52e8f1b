import { FeedLag } from '#packages/events/store/feed-lag.ts'
import { follow } from '#packages/events/store/follow.ts'
import { carryOut } from '#packages/history/removal/carry-out.ts'
import {
  type ForgetOrganizationPorts,
  forgetOrganization,
  isLastDecision,
  NotYetForgottenError,
} from '#packages/history/removal/forget-organization.ts'
import type { FeedBatch, StoredEvent } from '#packages/ports/event-store.ts'
import { RevisionConflictError, UnknownEventError } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'

export type RetentionPorts = ForgetOrganizationPorts & { log: Logger; telemetry: Telemetry }

/** The checkpoint, and the organizations that were closed before it and are not forgotten yet. */
export type Progress = { checkpoint: number; organizations: string[] }

/** Exported for the tests. */
export const PROGRESS_NOTE = 'retention'

/** The cause named in its events. */
const NAME = 'retention'

const TRY_AGAIN_AFTER_MS = 1000
const TICK_MS = 1000

/**
 * Carries out every removal that was decided: removals that a crash interrupted, and closed organizations once their
 * jobs are settled. The process that decides a removal carries it out too, so most are done already and cost little
 * here.
 */
export class Retention {
  /** How far it is behind the feed. */
  readonly lag: FeedLag
  readonly #ports: RetentionPorts
  /** Closed organizations that are not forgotten yet. */
  readonly #organizations = new Set<string>()
  #position = 0
  #saved = ''
  #announceReady: () => void = () => {}

  /** Resolves when every removal that was decided before the start is done, except for closed organizations. */
  readonly ready: Promise<void> = new Promise((resolve) => {
    this.#announceReady = resolve
  })

  constructor(ports: RetentionPorts) {
    this.#ports = ports
    this.lag = new FeedLag(ports.clock)
  }

  /** Runs until the signal is aborted. @throws UnknownEventError this program cannot read an event of the feed */
  async run(signal: AbortSignal): Promise<void> {
    await follow(
      this.#ports,
      {
        prefixes: ['removal-'],
        lag: this.lag,
        begin: () => this.#begin(),
        take: (batch) => this.#take(batch),
        watch: (own) => this.#tick(own),
        failed: (error) => {
          if (error instanceof UnknownEventError) throw error
          this.#ports.log.warn({ err: error }, 'a removal failed; trying again')
          return TRY_AGAIN_AFTER_MS
        },
      },
      signal,
    )
  }

  /** If the views have lost the note, everything is carried out once more. */
  async #begin(): Promise<number> {
    const notes = await this.#ports.views.getNotes<Progress>([PROGRESS_NOTE])
    const { checkpoint, organizations } = notes.get(PROGRESS_NOTE) ?? { checkpoint: 0, organizations: [] }
    for (const orgId of organizations) this.#organizations.add(orgId)
    this.#position = checkpoint
    return checkpoint
  }

  async #take({ events, position, caughtUp }: FeedBatch): Promise<void> {
    for (const event of events) {
      if (event.type !== 'StreamsRemoved') continue
      await carryOut(this.#ports, event)
      const { reason, streams: removed } = event.data
      this.#ports.telemetry.add(metrics.streamsRemoved, removed.length, { [names.removalReason]: reason })
      this.#note(event)
    }
    this.#position = position
    if (caughtUp) this.#announceReady()
  }

  #note(event: StoredEvent & { type: 'StreamsRemoved' }): void {
    const { orgId } = event.metadata
    if (event.stream !== streams.removal(orgId)) return
    if (isLastDecision(event)) this.#organizations.delete(orgId)
    else this.#organizations.add(orgId)
  }

  /** Runs once a second: continues with closed organizations, and saves the checkpoint. */
  async #tick(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#ports.clock.sleep(TICK_MS, signal).catch(() => {})
      if (signal.aborted) return
      for (const orgId of this.#organizations) await this.#forget(orgId)
      await this.#save().catch((err: unknown) => this.#ports.log.warn({ err }, 'the views cannot be written'))
    }
  }

  async #forget(orgId: string): Promise<void> {
    const { log } = this.#ports
    try {
      await forgetOrganization(this.#ports, { orgId, cause: NAME })
      this.#organizations.delete(orgId)
      log.info({ orgId }, 'an organization is forgotten')
    } catch (err) {
      if (err instanceof NotYetForgottenError || err instanceof RevisionConflictError) return
      log.warn({ err, orgId }, 'an organization could not be forgotten; trying again')
    }
  }

  /** Writes the note only if it has changed. An older note does no harm. */
  async #save(): Promise<void> {
    const progress: Progress = { checkpoint: this.#position, organizations: [...this.#organizations] }
    const text = JSON.stringify(progress)
    if (text === this.#saved) return
    await this.#ports.views.putNote(PROGRESS_NOTE, progress)
    this.#saved = text
  }
}
