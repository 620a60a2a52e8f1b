import { assertScope } from '#packages/accounts/keys/assert-scope.ts'
import { fullGrant } from '#packages/domain/key/grant.ts'
import type { JobRequest } from '#packages/jobs/acceptance/job-request.ts'
import { type Door, Doors, PATIENCE_MS } from './doors.ts'
import { type IngressNode, traceparent } from './ingress-node.ts'
import type { Key, Organization } from './organizations.ts'
import type { Process } from './processes.ts'
import type { AboutJob, Application, Cancellation, Deletion } from './record.ts'
import { makeWish, reusesOf, type Wish } from './wishes.ts'
import type { World } from './world.ts'

/** All customers who return do so within this time, milliseconds. */
const RETURNS_WITHIN_MS = 10_000

/** An organization is closed at most this long after the last request, milliseconds. */
const LAST_CLOSING_MS = 30_000

/** A refused call may take effect this much later, milliseconds. */
const LATE_MS = 5000
const MAX_TRIES = 4

/** How long an operator waits until an organization is closed, milliseconds. */
const CLOSES_WITHIN_MS = 30_000

/** Everybody outside of the service: customers who request and poll jobs and make and revoke keys, and operators. */
export class Customers {
  readonly #world: World
  readonly #random
  readonly #organizations: readonly Organization[]
  readonly #doors: Doors
  readonly #operators: Process | undefined
  /** Requests under an Idempotency-Key. */
  readonly #keyed: Wish[] = []
  /** Organizations with no more requests from their people. */
  readonly #closed = new Set<string>()

  constructor(world: World, organizations: readonly Organization[], processes: readonly Process[]) {
    this.#world = world
    this.#random = world.random.fork('customers')
    this.#organizations = organizations
    this.#doors = new Doors(world, this.#random, processes)
    this.#operators = processes.find(({ parts }) => parts.includes('operator'))
  }

  /** Whether no request is planned or under way. */
  get idle(): boolean {
    return this.#doors.idle
  }

  /** Plans all requests of the run. */
  start(): void {
    const { jobs, flood, asksForMs } = this.#world.settings
    for (let number = 0; number < jobs; number++) this.#planJob(number, this.#random.between(0, asksForMs))
    for (let number = 0; number < flood; number++) {
      const wish = makeWish(this.#world, this.#random, jobs + number, this.#organizations[0] as Organization)
      this.#doors.later(this.#random.between(0, 2000), () => this.#ask(wish))
    }
    for (const organization of this.#organizations) if (this.#random.chance(0.5)) this.#planRevocation(organization)
    for (let number = this.#random.between(0, 3); number > 0; number--) this.#planOperation(number)
    if (this.#world.settings.closesOrganization) this.#planClosing()
  }

  /** Plans to repeat requests under their Idempotency-Keys, some of them several times at once. */
  comeBack(): void {
    const random = this.#world.random.fork('comebacks')
    for (const wish of this.#keyed)
      for (let times = random.pick([0, 1, 1, 2, 3]); times > 0; times--)
        this.#doors.later(random.between(0, RETURNS_WITHIN_MS), () => this.#ask(wish))
  }

  #planJob(number: number, at: number): void {
    const quiet = this.#organizations.filter(({ floods }) => !floods)
    const wish = makeWish(this.#world, this.#random, number, this.#random.pick(quiet))
    this.#doors.later(at, () => this.#ask(wish))
    for (const { again, afterMs } of reusesOf(this.#world, quiet, wish)) {
      if (again.idempotencyKey !== undefined) this.#keyed.push(again)
      this.#doors.later(at + afterMs, () => this.#ask(again))
    }
    if (wish.idempotencyKey === undefined) return
    this.#keyed.push(wish)
    for (let repeat = this.#random.pick([0, 0, 1, 2, 4]); repeat > 0; repeat--)
      this.#doors.later(at + this.#random.pick([0, 5, 15, 100, 1000, 6000, 20_000]), () => this.#ask(wish))
    if (!this.#random.chance(0.1)) return
    const other = { ...wish, request: { ...wish.request, lang: 'de' } }
    this.#doors.later(at + this.#random.pick([0, 50, 3000]), () => this.#ask(other))
  }

  /** Requests a job until it is accepted or finally refused, then polls it. */
  async #ask(wish: Wish): Promise<void> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      if (this.#closed.has(wish.organization.orgId)) return
      const application = await this.#askOnce(wish)
      const answer = application?.answer
      if (answer !== undefined && 'jobId' in answer) {
        this.#planCancellations(wish, answer.jobId)
        this.#planDeletions(wish, answer.jobId)
        return this.#poll(wish, answer.jobId)
      }
      const final = answer !== undefined && answer.error !== 'unavailable'
      // Without an Idempotency-Key a second request might make a second job.
      if (final || (wish.idempotencyKey === undefined && application !== undefined)) return
      await this.#world.scheduler.sleep(this.#random.between(200, 3000))
    }
  }

  /** @returns undefined if no ingress was up */
  async #askOnce({ organization, key, request, terms, idempotencyKey }: Wish): Promise<Application | undefined> {
    const { record, scheduler, trace } = this.#world
    const door = this.#doors.open()
    if (door === undefined) return undefined
    const { orgId } = organization
    const application: Application = { orgId, request, terms, idempotencyKey, node: door.name, askedAt: scheduler.now }
    record.applications.push(application)
    trace.add(
      'customer',
      `asks ${door.name} for ${request.mode ?? request.kind} of ${request.url} with ${idempotencyKey}`,
    )
    const accept = async (node: IngressNode): Promise<void> => {
      const { keyId, grant } = await this.#doors.enter(door, node, key)
      assertScope(grant, 'jobs')
      const metadata = { orgId, causationId: `request of ${orgId}`, traceparent }
      const { jobId } = await node.acceptance.accept({
        request,
        terms,
        keyId,
        // A repeat at another ingress may come through another surface.
        surface: door.place % 2 === 0 ? 'api' : 'mcp',
        monthlyCredits: grant.monthlyCredits,
        idempotencyKey,
        metadata,
      })
      application.answer = { at: scheduler.now, jobId }
      trace.add('customer', `is given ${jobId}`)
    }
    const over = this.#doors.working(orgId, door)
    await this.#doors
      .through(door, (node) => accept(node).finally(over))
      .catch((error: { code?: string; message: string }) => {
        trace.add('customer', `is refused: ${error.code ?? error.message}`)
        if (error.code !== undefined) application.answer = { at: scheduler.now, error: error.code }
      })
    return application
  }

  /** Some jobs are cancelled: at any time, sometimes by several callers at once, and sometimes by a stranger. */
  #planCancellations({ organization, request }: Wish, jobId: string): void {
    if (!this.#world.settings.readsJobs) return
    const random = this.#world.random.fork(`cancellations of ${request.url} at ${this.#world.scheduler.now}`)
    if (!random.chance(0.5)) return
    const after = random.pick([0, 30, 300, 1000, 3000, 8000, 20_000])
    for (let times = random.pick([1, 1, 2, 3]); times > 0; times--) {
      const { orgId } = random.chance(0.2) ? random.pick(this.#organizations) : organization
      const own = orgId === organization.orgId
      this.#doors.later(after + random.between(0, 40), () => this.#cancel({ jobId, orgId, own }))
    }
  }

  async #cancel(asked: AboutJob): Promise<void> {
    const { record, scheduler, trace } = this.#world
    await this.#doors.visit(() => {
      const cancellation: Cancellation = { ...asked, askedAt: scheduler.now }
      record.cancellations.push(cancellation)
      return async (node) => {
        const found = await node.cancel(asked)
        cancellation.answer = { at: scheduler.now, found }
        trace.add('customer', `is told that ${asked.jobId} is ${found ? 'over' : 'unknown'}`)
      }
    })
  }

  /**
   * The content of some jobs is deleted: sometimes too early, by several callers at once, by an operator, or by a
   * stranger.
   */
  #planDeletions(wish: Wish, jobId: string): void {
    if (!this.#world.settings.forgetsJobs) return
    const random = this.#world.random.fork(`deletions of ${jobId} at ${this.#world.scheduler.now}`)
    if (!random.chance(0.6)) return
    const after = random.pick([0, 1000, 3000, 8000, 20_000, 40_000])
    for (let times = random.pick([1, 1, 2]); times > 0; times--) {
      const { orgId } = random.chance(0.15) ? random.pick(this.#organizations) : wish.organization
      const own = orgId === wish.organization.orgId
      const byOperator = own && random.chance(0.2)
      this.#doors.later(after + random.between(0, 40), () =>
        this.#deleteContent(wish, { jobId, orgId, own }, byOperator),
      )
    }
  }

  /** Asks until the content is deleted or the refusal is final. Then it polls the job, and requests it, once more. */
  async #deleteContent(wish: Wish, asked: AboutJob, byOperator: boolean): Promise<void> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const answer = byOperator ? await this.#forgetJob(asked) : await this.#deleteOnce(asked)
      if (answer !== undefined && answer.refusal === undefined) break
      if (answer?.refusal === 'not_found') return
      await this.#world.scheduler.sleep(this.#random.between(1000, 8000))
    }
    await this.#look(asked.jobId, wish.request.kind, asked)
    await this.#list(asked.orgId)
    if (wish.idempotencyKey !== undefined && this.#random.chance(0.7)) await this.#ask(wish)
    await this.#read(asked.jobId, asked)
  }

  async #deleteOnce(asked: AboutJob): Promise<Deletion['answer']> {
    const door = this.#doors.open()
    const node = door?.process.nodes[door.place]
    if (door === undefined || node === undefined) return undefined
    return this.#noteDeletion({ ...asked, node, askedAt: this.#world.scheduler.now }, () =>
      this.#doors.through(door, () => node.forget(asked)),
    )
  }

  async #forgetJob(asked: AboutJob): Promise<Deletion['answer']> {
    const operator = this.#operators?.operator
    if (operator === undefined) return undefined
    const late = this.#world.scheduler.sleep(PATIENCE_MS).then(() => Promise.reject(new Error('no answer')))
    return this.#noteDeletion({ ...asked, node: operator, askedAt: this.#world.scheduler.now }, () =>
      Promise.race([operator.forget({ ...asked, cause: 'operator' }), late]),
    )
  }

  async #noteDeletion(deletion: Deletion, forget: () => Promise<void>): Promise<Deletion['answer']> {
    const { record, scheduler, trace } = this.#world
    record.deletions.push(deletion)
    const answered = (refusal: string | undefined): void => {
      deletion.answer = { at: scheduler.now, refusal }
      trace.add('customer', `has ${refusal ?? 'deleted'} of the content of ${deletion.jobId}`)
    }
    await forget().then(
      () => answered(undefined),
      // Without a code there was no answer.
      (error: { code?: string }) => error.code !== undefined && answered(error.code),
    )
    return deletion.answer
  }

  async #list(orgId: string): Promise<void> {
    const { record, scheduler, viewed } = this.#world
    const asked = { orgId, viewed, askedAt: scheduler.now }
    await this.#doors.visit(() => async (node) => {
      record.listings.push({ ...asked, jobIds: await node.list(orgId) })
    })
  }

  async #poll(wish: Wish, jobId: string): Promise<void> {
    for (let left = this.#random.between(0, 4); left > 0; left--) {
      await this.#world.scheduler.sleep(this.#random.pick([10, 500, 3000, 12_000]))
      const stranger = this.#random.chance(0.25)
      const { orgId } = stranger ? this.#random.pick(this.#organizations) : wish.organization
      const asker = { orgId, own: orgId === wish.organization.orgId }
      await this.#look(jobId, wish.request.kind, asker)
      const { settings, random, scheduler } = this.#world
      if (settings.readsJobs && random.fork(`reading ${jobId} at ${scheduler.now}`).chance(0.4))
        await this.#read(jobId, asker)
    }
  }

  async #read(jobId: string, { orgId, own }: { orgId: string; own: boolean }): Promise<void> {
    const { record, scheduler, trace } = this.#world
    await this.#doors.visit((door) => {
      const asked = this.#timesAt(door)
      return async (node) => {
        const seen = await node.describe({ jobId, orgId })
        record.readings.push({ jobId, orgId, own, node, ...asked, answeredAt: scheduler.now, seen })
        trace.add('customer', `reads of ${jobId} as ${seen?.details.state}`)
      }
    })
  }

  /** When a node is asked, by the exact clock and its own, and what the views show then. */
  #timesAt({ process: { life } }: Door): { nodeTime: number; viewed: number; askedAt: number } {
    const { scheduler, viewed } = this.#world
    return { nodeTime: life?.clock.now() ?? scheduler.now, viewed, askedAt: scheduler.now }
  }

  async #look(jobId: string, its: JobRequest['kind'], { orgId, own }: { orgId: string; own: boolean }): Promise<void> {
    const door = this.#doors.open()
    if (door === undefined) return
    const { record, scheduler } = this.#world
    const other = its === 'transcript' ? 'extraction' : 'transcript'
    const kind = this.#random.chance(0.95) ? its : other
    const asked = this.#timesAt(door)
    const waitSeconds = this.#random.chance(0.4) ? this.#random.between(1, 8) : 0
    const question = { jobId, orgId, kind } as const
    const see = async (node: IngressNode): Promise<void> => {
      const seen = await node.poll(question, waitSeconds)
      record.sightings.push({ ...question, own, node, ...asked, answeredAt: scheduler.now, seen })
      this.#world.trace.add('customer', `sees ${jobId} as ${seen?.status}`)
    }
    // A failed poll shows nothing; the next one may succeed.
    await this.#doors.through(door, see, PATIENCE_MS + waitSeconds * 1000).catch(() => undefined)
  }

  #planRevocation({ orgId, keys }: Organization): void {
    const key = keys[1] as Key
    const { asksForMs } = this.#world.settings
    const at = this.#random.between(0, asksForMs)
    this.#doors.later(at, () => this.#revoke(orgId, key))
    for (let visit = 12; visit > 0; visit--) {
      const when = Math.max(
        0,
        at + this.#random.pick([-3000, -300, 0, 10, 30, 300, 1500, 4000]) + this.#random.between(0, 300),
      )
      this.#doors.later(when, () => this.#visit(key))
    }
  }

  async #visit(key: Key): Promise<void> {
    await this.#doors.visit((door) => (node) => this.#doors.enter(door, node, key))
  }

  async #revoke(orgId: string, { id }: Key): Promise<void> {
    const { record, scheduler, trace } = this.#world
    await this.#doors.visit(({ name }) => async (node) => {
      await node.revoke(id, { orgId, keyId: id, grant: fullGrant })
      record.revocations.push({ keyId: id, node: name, answeredAt: scheduler.now })
      trace.add('customer', `has revoked ${id} at ${name}`)
    })
  }

  /** An operator grants credits, each time a different number, or changes a plan. */
  #planOperation(number: number): void {
    const { orgId } = this.#random.pick(this.#organizations)
    const plan = this.#random.pick(['free', 'starter', 'pro'] as const)
    const grants = this.#random.chance(0.5)
    this.#doors.later(this.#random.between(0, this.#world.settings.asksForMs), async () => {
      const { organizations } = this.#operators?.operator ?? {}
      if (organizations === undefined) return
      const command = grants ? organizations.grant(orgId, number) : organizations.changePlan(orgId, plan)
      const done = command.then(() => {
        if (grants) this.#world.record.grants.push({ orgId, credits: number })
      })
      const late = this.#world.scheduler.sleep(PATIENCE_MS)
      // A failed command may have taken effect: the operator cannot know.
      await Promise.race([done.catch(() => undefined), late])
    })
  }
  /** An operator closes an organization when its people make no more requests. Later it is forgotten. */
  #planClosing(): void {
    const random = this.#world.random.fork('closing')
    const organization = random.pick(this.#organizations.filter(({ floods }) => !floods))
    const { asksForMs } = this.#world.settings
    this.#doors.later(random.between(0, asksForMs + LAST_CLOSING_MS), () => this.#close(organization.orgId))
  }

  async #close(orgId: string): Promise<void> {
    const { record, scheduler, trace } = this.#world
    this.#closed.add(orgId)
    while (this.#doors.workFor(orgId)) await scheduler.sleep(500)
    await scheduler.sleep(LATE_MS)
    trace.add('operator', `closes ${orgId}`)
    record.closings.push({ orgId, askedAt: scheduler.now })
    for (let isClosed = false; !isClosed; ) {
      const closing = this.#operators?.operator?.close(orgId) ?? Promise.reject(new Error('no operator'))
      const closed = closing.then(
        () => true,
        () => false,
      )
      isClosed = await Promise.race([closed, scheduler.sleep(CLOSES_WITHIN_MS).then(() => false)])
      if (!isClosed) await scheduler.sleep(2000)
    }
    trace.add('operator', `has closed ${orgId}`)
  }
}
