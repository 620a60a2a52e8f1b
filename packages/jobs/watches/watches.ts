import type { WatchChanges } from '#contracts/generated/http.ts'
import type { EventMetadata } from '#contracts/generated/messages.ts'
import { type Plan, plans } from '#packages/domain/credits/plans.ts'
import { debitOf } from '#packages/domain/job/price.ts'
import type { KeyHolder } from '#packages/domain/key/key.ts'
import { isKnown, type KnownWatch, type Watch, type WatchEvent } from '#packages/domain/watch/state.ts'
import { type WatchCommand, watch } from '#packages/domain/watch/watch.ts'
import { FoldedStreams } from '#packages/events/store/folded-streams.ts'
import { handleAndShow } from '#packages/events/store/handle-and-show.ts'
import type { WatchDocument } from '#packages/events/views/watches.ts'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { JobRequest } from '#packages/jobs/acceptance/job-request.ts'
import { isJobId as isId } from '#packages/jobs/status/job-id.ts'
import type { NamedWebhook } from '#packages/jobs/webhooks/named-webhook.ts'
import type { Source } from '#packages/platforms/sources/source.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import { type Every, everyOf, periods } from './every.ts'
import { type ListedWatch, listedWatch, type OwnFound, type OwnWatch, ownFound, ownWatch } from './own-watch.ts'

export type WatchesPorts = { store: EventStore; views: Views; clock: Clock; ids: Ids }

/** A request for a watch. `request`: the request for each new video; null: none. */
export type WatchApplication = {
  source: Source
  every: Every
  request: Omit<JobRequest, 'url'> | null
  maxCreditsPerMonth: number | null
  backfill: number
}

/** The key that requests a watch, and the plan of its organization. */
export type Asking = { by: KeyHolder; plan: Plan; metadata: EventMetadata }

/** Video ids, of all watches, that one process keeps in memory. */
const CACHED_VIDEOS = 200_000

/**
 * The watches of organizations, for every surface. Each method throws ServiceError: not_found if the organization has
 * no such watch, unavailable if the store does not answer.
 */
export class Watches {
  readonly #ports: WatchesPorts
  readonly #known: FoldedStreams<Watch, WatchEvent>

  constructor(ports: WatchesPorts) {
    this.#ports = ports
    this.#known = new FoldedStreams(ports.store, watch, {
      maxSize: CACHED_VIDEOS,
      sizeOf: (state) => (isKnown(state) ? state.seen.size : 0),
    })
  }

  /** Oldest first. */
  async list(orgId: string): Promise<ListedWatch[]> {
    const found = await this.#ports.views.find<WatchDocument>('watches', 'listedFor', orgId)
    const now = this.#ports.clock.now()
    return found
      .sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1))
      .flatMap(({ id, status, ...document }) =>
        status === 'removed' ? [] : [listedWatch(id, { ...document, status }, now)],
      )
  }

  /** From its own events. */
  async get(orgId: string, watchId: string): Promise<OwnWatch> {
    return ownWatch(watchId, await this.#read(orgId, watchId), this.#ports.clock.now())
  }

  /** The videos that it found after a number, in order. Only the newest 5,000 are kept. */
  async found(
    orgId: string,
    watchId: string,
    { after, limit }: { after: number; limit: number },
  ): Promise<{ found: OwnFound[]; next: number; hasMore: boolean }> {
    const { found } = await this.#read(orgId, watchId)
    const later = found.filter(({ number }) => number > after)
    const page = later.slice(0, limit)
    return { found: page.map(ownFound), next: page.at(-1)?.number ?? after, hasMore: later.length > page.length }
  }

  /** @throws ServiceError invalid_request, forbidden (the plan) */
  async create(
    { source, every, request, maxCreditsPerMonth, backfill }: WatchApplication,
    webhook: NamedWebhook | undefined,
    { by, plan, metadata }: Asking,
  ): Promise<OwnWatch> {
    const { orgId } = metadata
    if (request !== null) assertCredits(maxCreditsPerMonth, request)
    assertPace(every, plan)
    const others = await this.list(orgId)
    if (others.length >= plans[plan].watches) throw tooMany(plans[plan].watches)
    await webhook?.prepare()
    const watchId = this.#ports.ids.uuid()
    const asked = { orgId, source, everySeconds: periods[every], request, backfill, keyId: by.keyId }
    const made = {
      ...asked,
      maxCreditsPerMonth: request === null ? null : maxCreditsPerMonth,
      webhookId: webhook?.id ?? null,
    }
    await this.#handle(watchId, { type: 'create', watch: made }, metadata)
    return this.get(orgId, watchId)
  }

  /** Changes a watch. `status` pauses and resumes it. @throws ServiceError invalid_request, forbidden (the plan) */
  async change(watchId: string, changes: WatchChanges, { plan, metadata }: Omit<Asking, 'by'>): Promise<OwnWatch> {
    const { orgId } = metadata
    const known = await this.#read(orgId, watchId)
    const { every = everyOf(known.everySeconds), maxCreditsPerMonth = known.maxCreditsPerMonth, status } = changes
    if (changes.every !== undefined || status === 'on') assertPace(every, plan)
    if (changes.maxCreditsPerMonth !== undefined && known.request === null)
      throw invalidRequest({ path: 'maxCreditsPerMonth', message: 'requires then' })
    if (known.request !== null) assertCredits(maxCreditsPerMonth, known.request)
    if (status === 'on') await this.#assertMaker(known)
    if (changes.every !== undefined || changes.maxCreditsPerMonth !== undefined)
      await this.#handle(watchId, { type: 'change', orgId, everySeconds: periods[every], maxCreditsPerMonth }, metadata)
    if (status === 'on') await this.#handle(watchId, { type: 'resume', orgId }, metadata)
    if (status === 'paused') await this.#handle(watchId, { type: 'pause', orgId, reason: 'asked' }, metadata)
    return this.get(orgId, watchId)
  }

  /** Removes the watch: it no longer looks, and is no longer shown. Its jobs stay. */
  async remove(watchId: string, metadata: EventMetadata): Promise<void> {
    const { orgId } = metadata
    await this.#read(orgId, watchId)
    await this.#handle(watchId, { type: 'remove', orgId }, metadata)
  }

  async #read(orgId: string, watchId: string): Promise<KnownWatch> {
    if (!isId(watchId)) throw noSuchWatch()
    const known = await this.#known.read(streams.watch(watchId))
    if (!isKnown(known) || known.orgId !== orgId) throw noSuchWatch()
    return known
  }

  /** A watch cannot act for a key that has ended. */
  async #assertMaker({ keyId }: KnownWatch): Promise<void> {
    if (keyId === null) return
    const events = await this.#ports.store.read(streams.key(keyId))
    if (events.some(({ type }) => type === 'KeyRevoked') || events.length === 0)
      throw new ServiceError('forbidden', 'The key that created this watch was revoked: create the watch again.', {
        details: { reason: 'key' },
      })
  }

  #handle(watchId: string, command: WatchCommand, metadata: EventMetadata): Promise<void> {
    return handleAndShow(this.#ports, watch, { stream: streams.watch(watchId), command, metadata }, 'the watch')
  }
}

function assertCredits(most: number | null, request: Omit<JobRequest, 'url'>): void {
  const { full } = debitOf(request)
  if (most === null) throw invalidRequest({ path: 'maxCreditsPerMonth', message: 'is required with then' })
  if (most < full)
    throw invalidRequest({
      path: 'maxCreditsPerMonth',
      message: `must be ${full} at least: one job may cost that much`,
    })
}

function assertPace(every: Every, plan: Plan): void {
  const { watchEverySeconds: least } = plans[plan]
  if (periods[every] >= least) return
  const details = { reason: 'plan', required: periods[every], remaining: least }
  throw new ServiceError('forbidden', `every must be ${everyOf(least)} or longer on this plan.`, { details })
}

const noSuchWatch = (): ServiceError => new ServiceError('not_found', 'There is no such watch.')

const tooMany = (limit: number): ServiceError =>
  new ServiceError('forbidden', `This plan allows ${limit} watches.`, {
    details: { reason: 'plan', required: 1, remaining: 0 },
  })
