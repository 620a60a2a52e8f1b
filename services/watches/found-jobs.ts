import type { EventMetadata } from '#contracts/generated/messages.ts'
import { job, settlementOf } from '#packages/domain/job/job.ts'
import { debitOf } from '#packages/domain/job/price.ts'
import { hasExpired } from '#packages/domain/key/grant.ts'
import { key } from '#packages/domain/key/key.ts'
import { type FoundVideo, type KnownWatch, type PauseReason, pendingIn, spentIn } from '#packages/domain/watch/state.ts'
import type { BegunJob } from '#packages/domain/watch/watch.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Acceptance } from '#packages/jobs/acceptance/acceptance.ts'
import { isShortOfCredits } from '#packages/jobs/acceptance/short-of-credits.ts'
import { noTerms } from '#packages/jobs/acceptance/terms.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams, watchJobIdOf } from '#packages/ports/ids.ts'

type Ports = { store: EventStore; clock: Clock; acceptance: Pick<Acceptance, 'accept'> }

/** The jobs that began, and the reason why no more did. `waitSeconds`: the time until another attempt. */
export type Begun = { jobs: BegunJob[]; pause: PauseReason | null; waitSeconds: number | null }

/** The most jobs of one watch that begin at once, so that others get their turn. */
const AT_ONCE = 20

/** Requests jobs for new videos. A repeat changes nothing, because a job's id is derived from its video. */
export class FoundJobs {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  async begin(watchId: string, watch: KnownWatch, metadata: EventMetadata): Promise<Begun> {
    const jobs: BegunJob[] = []
    const grant = await this.#grantOf(watch)
    if (grant === undefined) return { jobs, pause: 'key', waitSeconds: null }
    let left = (watch.maxCreditsPerMonth ?? 0) - (await this.#spent(watch))
    for (const video of pendingIn(watch).slice(0, AT_ONCE)) {
      if (watch.request === null || debitOf(watch.request).full > left) return { jobs, pause: 'cap', waitSeconds: null }
      try {
        const begun = await this.#ask(watchId, watch, video, { ...grant, metadata })
        jobs.push(begun)
        left -= begun.credits
      } catch (error) {
        return { jobs, ...whyNot(error) }
      }
    }
    return { jobs, pause: null, waitSeconds: null }
  }

  /** Credits used this month. An ended job counts with its charge. */
  async #spent(watch: KnownWatch): Promise<number> {
    const most = watch.maxCreditsPerMonth ?? 0
    const jobs = spentIn(watch, this.#ports.clock.now())
    const debited = jobs.reduce((sum, { credits }) => sum + credits, 0)
    const wanted = pendingIn(watch).length * (watch.request ? debitOf(watch.request).full : 0)
    if (debited + wanted <= most) return debited
    let spent = 0
    for (const { jobId, credits } of jobs) {
      const found = fold(job, await this.#ports.store.read(streams.job(jobId)))
      spent += settlementOf(found)?.charged ?? credits
    }
    return spent
  }

  /** Undefined if the key that made the watch has ended. */
  async #grantOf({ keyId }: KnownWatch): Promise<{ monthlyCredits: number | null } | undefined> {
    if (keyId === null) return { monthlyCredits: null }
    const known = fold(key, await this.#ports.store.read(streams.key(keyId)))
    return known.status === 'active' && !hasExpired(known, this.#ports.clock.now()) ? known : undefined
  }

  async #ask(
    watchId: string,
    { request, keyId }: KnownWatch,
    { id, number, url }: FoundVideo,
    { monthlyCredits, metadata }: { monthlyCredits: number | null; metadata: EventMetadata },
  ): Promise<BegunJob> {
    if (request === null) throw new Error('nothing is asked for')
    const jobId = watchJobIdOf(watchId, id)
    try {
      const { held } = await this.#ports.acceptance.accept({
        request: { ...request, url },
        terms: noTerms,
        keyId,
        surface: 'watch',
        monthlyCredits,
        idempotencyKey: undefined,
        part: { jobId, batch: null },
        metadata,
      })
      return { number, jobId, credits: held, code: null }
    } catch (error) {
      if (!isAboutTheVideo(error)) throw error
      return { number, jobId: null, credits: 0, code: error.code }
    }
  }
}

/** True if every later attempt would get the same answer. */
const isAboutTheVideo = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && ['invalid_request', 'not_found', 'idempotency_conflict'].includes(error.code)

const reasons: Readonly<Record<string, PauseReason>> = { insufficient_credits: 'credits', monthly_credits: 'cap' }

/** @throws errors other than ServiceError */
function whyNot(error: unknown): Omit<Begun, 'jobs'> {
  if (!(error instanceof ServiceError)) throw error
  // Jobs in progress may still return credits.
  if (isShortOfCredits(error) && error.retryAfterSeconds === undefined) {
    const { reason = '' } = (error.details ?? {}) as { reason?: string }
    return { pause: reasons[reason] ?? 'credits', waitSeconds: null }
  }
  return { pause: null, waitSeconds: error.retryAfterSeconds ?? 5 }
}
