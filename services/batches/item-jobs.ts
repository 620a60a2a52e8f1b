import { AGAIN_FOR_MS } from '#packages/domain/batch/again.ts'
import type { ItemEnd } from '#packages/domain/batch/proceed.ts'
import { isKnown, type KnownBatch } from '#packages/domain/batch/state.ts'
import { job, NOT_ACCEPTED_AFTER_MS, settlementOf } from '#packages/domain/job/job.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { OwnerPorts } from '#packages/events/store/owner-role.ts'
import { toAppend } from '#packages/events/store/to-append.ts'
import type { Acceptance } from '#packages/jobs/acceptance/acceptance.ts'
import { noTerms } from '#packages/jobs/acceptance/terms.ts'
import { RevisionConflictError } from '#packages/ports/event-store.ts'
import { itemJobIdOf, streams } from '#packages/ports/ids.ts'
import type { OpenBatch } from './open-batches.ts'

type Ports = Pick<OwnerPorts, 'store' | 'clock' | 'log'> & { acceptance: Pick<Acceptance, 'accept'> }

/** Wait before a failed request for a job is repeated, milliseconds. */
const ASK_AGAIN_AFTER_MS = 5000

/** Requests the jobs of items in progress. A repeat changes nothing, because a job's id is derived from its item. */
export class ItemJobs {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** The items in progress that still need their job requested. */
  dueIn({ state, asked, ends }: OpenBatch): number[] {
    if (!isKnown(state)) return []
    const now = this.#ports.clock.now()
    const due: number[] = []
    for (const [item, each] of state.items.entries())
      if (each.state === 'working' && !ends.has(item) && (asked.get(item) ?? 0) <= now) due.push(item)
    return due
  }

  /** Requests the newest job of an item, or finds how it has ended. Never rejects. */
  async ask(open: OpenBatch, item: number): Promise<void> {
    const attempt = isKnown(open.state) ? open.state.items[item]?.attempt : undefined
    if (attempt === undefined || !isKnown(open.state)) return
    open.asked.set(item, Number.POSITIVE_INFINITY)
    try {
      const end = await this.#askOrFind(open, open.state, { item, attempt })
      if (end !== undefined) open.ends.set(item, end)
    } catch (err) {
      this.#ports.log.debug({ err, batchId: open.batchId, item }, 'the job of an item was not taken on; asking again')
      open.asked.set(item, this.#ports.clock.now() + ASK_AGAIN_AFTER_MS)
    }
  }

  async #askOrFind(
    open: OpenBatch,
    known: KnownBatch,
    { item, attempt }: { item: number; attempt: number },
  ): Promise<ItemEnd | undefined> {
    const jobId = itemJobIdOf(open.batchId, { item, attempt })
    const found = fold(job, await this.#ports.store.read(streams.job(jobId)))
    const settlement = settlementOf(found)
    if (settlement !== undefined) {
      const { charged, reason } = settlement
      return { item, attempt, code: reason === 'completed' ? null : reason, charged }
    }
    if (found.status === 'open') return undefined
    if (this.#isOver(known, item)) await this.#refuse(open, known, jobId)
    else await this.#accept(open, known, { item, jobId })
    return undefined
  }

  async #accept(open: OpenBatch, known: KnownBatch, { item, jobId }: { item: number; jobId: string }): Promise<void> {
    const { batchId, metadata } = open
    const { request, keyId, tellsItems, webhookId } = known
    const url = known.items[item]?.url ?? ''
    const isNamed = tellsItems && webhookId !== null
    // The webhook was created together with the batch, so there is nothing to prepare.
    const webhook = isNamed ? { id: webhookId, prepare: async () => {} } : undefined
    await this.#ports.acceptance.accept({
      request: { ...request, url },
      terms: { ...noTerms, webhook },
      keyId,
      surface: 'batch',
      monthlyCredits: null,
      idempotencyKey: undefined,
      part: { jobId, batch: { batchId, item, isTold: tellsItems } },
      metadata,
    })
  }

  /** True if a job that was not accepted yet never will be. */
  #isOver({ cancelled, items }: KnownBatch, item: number): boolean {
    const begunAt = items[item]?.begunAt ?? Number.POSITIVE_INFINITY
    return cancelled !== null || this.#ports.clock.now() - begunAt >= AGAIN_FOR_MS
  }

  /**
   * Refuses the job for good. The first event of a job's stream is either its request or its refusal, so no other owner
   * can request it after this. If the job was requested earlier, the next look finds that.
   */
  async #refuse(open: OpenBatch, { orgId, request }: KnownBatch, jobId: string): Promise<never> {
    const now = this.#ports.clock.now()
    const refusal = { type: 'refuse', orgId, kind: request.kind, debitedAt: now - NOT_ACCEPTED_AFTER_MS, now } as const
    const metadata = { ...open.metadata, correlationId: jobId }
    const events = toAppend(streams.job(jobId), job.decide(refusal, job.initialState), metadata)
    await this.#ports.store.append(streams.job(jobId), 'no-stream', events).catch((error: unknown) => {
      if (!(error instanceof RevisionConflictError)) throw error
    })
    throw new Error('it was refused')
  }
}
