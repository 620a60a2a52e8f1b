import { ServiceError } from '#packages/errors/service-error.ts'
import { cancelJob } from '#packages/jobs/cancel-job.ts'
import { listJobs } from '#packages/jobs/list-jobs.ts'
import { revokeKey } from '#packages/keys/revoke-key.ts'
import type { Account, Accounts } from '#packages/ports/accounts.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import type { AttemptsUnderWay } from '#packages/processing/attempts-under-way.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import type { KeyDocument } from '#packages/views/keys.ts'
import type { PasswordCheck } from './password-check.ts'
import type { SignedIn } from './sessions.ts'

const GIVE_UP_AFTER_MS = 5000

/** How long the views may take to show what was just written, milliseconds. */
const SHOWN_WITHIN_MS = 5000

const JOBS_OF_A_PAGE = 100

const allQueued = {
  kind: undefined,
  status: 'queued',
  platform: undefined,
  keyId: undefined,
  idempotencyKey: undefined,
  createdAfter: undefined,
  createdBefore: undefined,
} as const

type Ports = {
  accounts: Accounts
  store: EventStore
  views: Views
  attempts: AttemptsUnderWay
  clock: Clock
  ids: Ids
}

/**
 * Removes people, and closes the organizations that they leave without an owner: their keys are revoked, their open jobs
 * are cancelled, and nobody is a member any more. Every part can be repeated: where it is cut off, the account is still
 * there, and its removal is asked for again.
 *
 * What is left of a closed organization, until it is forgotten: its streams `organization-`, `credits-`, `key-` and
 * `job-` with the URLs, prompts and results in them, the documents of its jobs, keys and usage in the views, and the cached
 * media of its videos. Of the person only the entries of the audit trail are left, which name the account's id.
 */
export class Removal {
  readonly #ports: Ports
  readonly #check: PasswordCheck

  constructor(ports: Ports & { check: PasswordCheck }) {
    this.#ports = ports
    this.#check = ports.check
  }

  /** Organizations that end with a person: they are its last owner. */
  async wouldClose({ id, memberships }: Account): Promise<string[]> {
    const owned = memberships.filter(({ role }) => role === 'owner')
    const closing: string[] = []
    for (const { orgId } of owned) if (!(await this.#hasOwnerBesides(orgId, id))) closing.push(orgId)
    return closing
  }

  /**
   * A person removes the own account. Asks for the password, or, where there is none, for a session of the last minutes.
   * @throws ServiceError invalid_request naming `password`, forbidden, rate_limited, unavailable (nothing is lost: again)
   */
  async removeOwn(who: SignedIn, password: string): Promise<void> {
    await this.#check.assertAgain(who, password)
    await this.remove(who.account.id)
  }

  /** The same for an operator. @throws ServiceError unavailable */
  async remove(accountId: string): Promise<void> {
    const { accounts } = this.#ports
    await accounts.endSessions(accountId)
    const account = await accounts.get(accountId)
    if (account === undefined) return
    const closed = await this.wouldClose(account)
    for (const orgId of closed) await this.#close(orgId, accountId)
    await accounts.remove(accountId)
    // Two last owners who go at the same time each counted on the other.
    for (const orgId of await this.wouldClose(account)) if (!closed.includes(orgId)) await this.#close(orgId, accountId)
  }

  async #close(orgId: string, lastOwnerId: string): Promise<void> {
    const { accounts, clock } = this.#ports
    for (const { hash } of await accounts.invitationsOf(orgId, clock.now())) await accounts.takeToken(hash, clock.now())
    for (const { id } of await accounts.membersOf(orgId))
      if (id !== lastOwnerId)
        await accounts.update(id, (account) => ({
          ...account,
          memberships: account.memberships.filter((membership) => membership.orgId !== orgId),
        }))
    // Last: nobody is left who begins a job or makes a key.
    await this.#revokeKeys(orgId)
    await this.#cancelJobs(orgId)
  }

  /**
   * Until the list is empty: a key may make another one before it is revoked. Once the view shows a revocation it also
   * shows every key and every job of before, so that none is missed.
   */
  async #revokeKeys(orgId: string): Promise<void> {
    const { views, ids } = this.#ports
    for (;;) {
      const keys = await views.find<KeyDocument>('keys', 'listedFor', orgId)
      if (keys.length === 0) return
      let position = 0
      for (const { id: keyId } of keys) {
        const request = ids.uuid()
        const metadata = { orgId, correlationId: request, causationId: request, traceparent: newTraceparent(false) }
        const revoked = await revokeKey(this.#ports, { keyId, metadata, giveUpAfterMs: GIVE_UP_AFTER_MS })
        position = Math.max(position, revoked.position)
      }
      for (const view of ['keys', 'jobs'])
        if (!(await views.waitForCheckpoint(view, position, SHOWN_WITHIN_MS))) throw notShown()
    }
  }

  async #cancelJobs(orgId: string): Promise<void> {
    const { views, ids } = this.#ports
    let cursor: string | undefined
    do {
      const { jobs, nextCursor } = await listJobs(views, orgId, { ...allQueued, cursor, limit: JOBS_OF_A_PAGE })
      for (const { jobId } of jobs) {
        const cancellation = { jobId, orgId, requestId: ids.uuid() }
        await cancelJob(this.#ports, cancellation, { giveUpAfterMs: GIVE_UP_AFTER_MS })
      }
      cursor = nextCursor ?? undefined
    } while (cursor !== undefined)
  }

  async #hasOwnerBesides(orgId: string, accountId: string): Promise<boolean> {
    const members = await this.#ports.accounts.membersOf(orgId)
    return members.some(
      ({ id, memberships }) =>
        id !== accountId && memberships.some((one) => one.orgId === orgId && one.role === 'owner'),
    )
  }
}

const notShown = (): ServiceError =>
  new ServiceError('unavailable', 'The account could not be removed yet; try again in a moment.', {
    retryAfterSeconds: 5,
  })
