/**
 * Half a year of a made-up business, made by the service's own deciders: organizations on all plans and jobs on all
 * platforms. It has failures, retries, lost workers, an outage of a platform, an afternoon of slow speech-to-text,
 * minutes without any worker, refused requests, and unfinished jobs. The same seed gives the same history.
 */
import { type CreditsCommand, credits, inMonthOf } from '#packages/domain/credits/credits.ts'
import { type Plan, plans } from '#packages/domain/credits/plans.ts'
import type { FailureCode } from '#packages/domain/job/failure.ts'
import { JobFixture, problem, results } from '#packages/domain/job/job.fixture.ts'
import { job, settlementOf } from '#packages/domain/job/job.ts'
import { debitOf } from '#packages/domain/job/price.ts'
import { type Counts, requests } from '#packages/domain/requests/requests.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams, uuidFrom } from '#packages/ports/ids.ts'
import { Random } from '#test/doubles/random.ts'

const SECOND = 1000
const HOUR = 60 * 60 * SECOND
const DAY = 24 * HOUR

const FROM = Date.UTC(2026, 0, 5)
const TO = Date.UTC(2026, 5, 18, 18)
const inOutage = (at: number): boolean => at >= Date.UTC(2026, 3, 13, 6) && at < Date.UTC(2026, 3, 17, 22)
const inSlowSpeech = (at: number): boolean => at >= Date.UTC(2026, 5, 16, 11) && at < Date.UTC(2026, 5, 16, 17)

/** A time without any worker. */
const DOWN = { from: Date.UTC(2026, 4, 20, 10), to: Date.UTC(2026, 4, 20, 10, 2) }

const hosts = ['cdn.example.com', 'media.example.org', 'films.example.net'] as const
const hostOf: Record<Exclude<Platform, 'direct'>, string> = {
  youtube: 'www.youtube.com',
  tiktok: 'www.tiktok.com',
  instagram: 'www.instagram.com',
  x: 'x.com',
  facebook: 'www.facebook.com',
}

const platforms = ['youtube', 'youtube', 'youtube', 'tiktok', 'tiktok', 'instagram', 'x', 'facebook', 'direct'] as const
type Platform = (typeof platforms)[number]

/** One customer: jobs per day, plans by days after the sign-up, and the day of the last job. */
type Customer = { signsUp: number; perDay: number; plans?: Readonly<Record<number, Plan>>; lastsDays?: number }

const customers: readonly Customer[] = [
  { signsUp: 0, perDay: 4, plans: { 2: 'starter', 40: 'pro' } },
  { signsUp: 3, perDay: 2, plans: { 5: 'starter' } },
  { signsUp: 9, perDay: 0.3, lastsDays: 60 },
  { signsUp: 15, perDay: 1, plans: { 20: 'starter', 70: 'free' }, lastsDays: 90 },
  { signsUp: 30, perDay: 3, plans: { 0.2: 'pro', 100: 'starter' } },
  { signsUp: 33, perDay: 0.5, lastsDays: 20 },
  { signsUp: 41, perDay: 0, lastsDays: 1 },
  { signsUp: 58, perDay: 1.5, plans: { 10: 'starter' } },
  { signsUp: 64, perDay: 0.7, lastsDays: 25 },
  { signsUp: 82, perDay: 2.5, plans: { 1: 'pro' } },
  { signsUp: 90, perDay: 0.4, plans: { 15: 'starter', 50: 'free', 75: 'starter' } },
  { signsUp: 112, perDay: 6, plans: { 3: 'starter', 20: 'pro', 21: 'starter', 21.1: 'pro' } },
  { signsUp: 120, perDay: 0.5, lastsDays: 15 },
  { signsUp: 141, perDay: 1.2 },
  { signsUp: 150, perDay: 15, plans: { 1: 'starter' } },
]

/** Makes the events of a history, with positions in the order of their recorded times. */
export function madeHistory(seed = 'analysts'): StoredEvent[] {
  const random = new Random(seed)
  const events = customers.flatMap((customer, index) => new CustomerHistory(customer, random.fork(`${index}`)).events())
  // The sort is stable, so each stream keeps its order.
  return events
    .sort((one, other) => one.recordedAt - other.recordedAt)
    .map((event, index) => ({ ...event, position: index + 1 }))
}

class CustomerHistory {
  readonly #customer: Customer
  readonly #random: Random
  readonly #orgId: string
  readonly #keys: string[] = []
  readonly #events: StoredEvent[] = []
  readonly #revisions = new Map<string, number>()
  /** The future, ordered by time. */
  readonly #agenda: { at: number; happens: (at: number) => void }[] = []
  #credits = credits.initialState
  /** Requests since the last RequestsCounted. */
  #counted: Counts = { reads: {}, refused: {} }
  #requests = requests.initialState

  constructor(customer: Customer, random: Random) {
    this.#customer = customer
    this.#random = random
    this.#orgId = random.uuid()
  }

  events(): StoredEvent[] {
    const { signsUp, plans: changes = {}, perDay, lastsDays = 200 } = this.#customer
    const begins = FROM + signsUp * DAY + this.#random.between(0, 12 * HOUR)
    this.#plan(begins, (at) => this.#signUp(at))
    for (const [days, plan] of Object.entries(changes))
      this.#plan(begins + Number(days) * DAY, (at) => this.#pay(at, { type: 'change-plan', plan, by: 'command' }))
    const jobs = Math.round(perDay * Math.min(lastsDays, (TO - begins) / DAY))
    for (let count = 0; count < jobs; count++)
      this.#plan(begins + HOUR + this.#random.next() * Math.min(lastsDays * DAY, TO - begins - HOUR), (at) =>
        this.#order(at),
      )
    if (perDay > 2) for (const seconds of [5, 30, 50]) this.#plan(DOWN.from + seconds * SECOND, (at) => this.#order(at))
    // Some jobs are still running at the end.
    if (perDay > 3) for (const seconds of [3, 20, 70]) this.#plan(TO - seconds * SECOND, (at) => this.#order(at))
    for (;;) {
      this.#agenda.sort((one, other) => other.at - one.at)
      const next = this.#agenda.pop()
      if (next === undefined) return this.#events
      next.happens(next.at)
    }
  }

  #plan(at: number, happens: (at: number) => void): void {
    const whole = Math.round(at)
    if (whole < TO) this.#agenda.push({ at: whole, happens })
  }

  #record(stream: string, correlationId: string, event: DomainEvent & { recordedAt: number }): void {
    const revision = (this.#revisions.get(stream) ?? -1) + 1
    this.#revisions.set(stream, revision)
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const metadata = { orgId: this.#orgId, correlationId, causationId: 'made-up', traceparent }
    this.#events.push({ ...event, stream, revision, id: uuidFrom(stream, revision), metadata, position: 0 })
  }

  #signUp(at: number): void {
    const data = { name: `Customer of day ${this.#customer.signsUp}` }
    this.#record(streams.organization(this.#orgId), 'sign-up', { type: 'OrganizationRegistered', data, recordedAt: at })
    this.#pay(at + 20, { type: 'register', by: 'command' })
    this.#createKey(at + 40, null)
    if (this.#customer.perDay > 1) this.#createKey(at + 30 * DAY, at + 300 * DAY)
    if (this.#customer.perDay > 2) this.#plan(at + 60 * DAY, (then) => this.#revokeKey(then))
    if (this.#customer.signsUp === 33)
      this.#plan(at + 5 * DAY, (then) => this.#pay(then, { type: 'grant', credits: 25, by: 'command' }))
  }

  #createKey(at: number, expiresAt: number | null): void {
    const secret = this.#random.uuid().replaceAll('-', '').repeat(2)
    const keyId = uuidFrom('key', secret)
    const shown = { prefix: 'ma_made', suffix: 'made' }
    const limits = {
      scopes: expiresAt === null ? null : (['read', 'jobs'] satisfies ['read', 'jobs']),
      monthlyCredits: null,
      expiresAt,
    }
    const data = { orgId: this.#orgId, name: 'A key', sha256: secret, ...shown, ...limits, createdBy: null }
    this.#plan(at, () => {
      this.#record(streams.key(keyId), 'key', { type: 'KeyCreated', data, recordedAt: at })
      this.#keys.push(keyId)
    })
  }

  #revokeKey(at: number): void {
    const keyId = this.#keys.shift()
    if (keyId === undefined) return
    this.#record(streams.key(keyId), 'key', { type: 'KeyRevoked', data: { orgId: this.#orgId }, recordedAt: at })
  }

  /** Decides a ledger command. @returns whether it has appended anything */
  #pay(at: number, command: CreditsCommand, correlationId = 'operator'): boolean {
    const decided = credits.decide(command, inMonthOf(this.#credits, at))
    for (const event of decided) {
      const recorded = { ...event, recordedAt: at }
      this.#credits = credits.evolve(this.#credits, recorded)
      this.#record(streams.credits(this.#orgId), correlationId, recorded)
    }
    return decided.some(({ type }) => type !== 'CreditsRenewed')
  }

  #count(at: number, kind: keyof Counts, what: string): void {
    this.#counted[kind][what] = (this.#counted[kind][what] ?? 0) + 1
    for (const event of requests.decide({ type: 'count', counts: this.#counted, now: at }, this.#requests)) {
      const recorded = { ...event, recordedAt: at }
      this.#requests = requests.evolve(this.#requests, recorded)
      this.#record(streams.requests(this.#orgId), 'requests', recorded)
      this.#counted = { reads: {}, refused: {} }
    }
  }

  #order(at: number): void {
    if (this.#random.chance(0.1)) this.#count(at, 'reads', '/v1/metadata')
    if (this.#random.chance(0.03)) {
      this.#count(at, 'refused', 'rate_limited')
      return
    }
    const jobId = this.#random.uuid()
    const kind = this.#random.chance(0.2) ? ('extraction' as const) : ('transcript' as const)
    const mode = kind === 'extraction' ? null : this.#random.pick(['native', 'auto', 'auto', 'generate'] as const)
    const platform = inOutage(at) && this.#random.chance(0.5) ? 'youtube' : this.#random.pick(platforms)
    const keyId = this.#keys.length === 0 || this.#random.chance(0.1) ? null : this.#random.pick(this.#keys)
    const purpose = { operation: kind, mode, platform, keyId, batch: null }
    const amount = { ...debitOf({ kind, mode }), requestHash: 'c'.repeat(64), purpose, monthlyCredits: null }
    if (!this.#pay(at, { type: 'debit', jobId, ...amount }, jobId)) {
      this.#count(at, 'refused', 'insufficient_credits')
      return
    }
    const budget = this.#credits.openDebits.get(jobId)?.credits ?? 0
    const { lane } = plans[this.#credits.plan]
    const surface =
      keyId === null
        ? this.#random.pick(['dashboard', 'watch'] as const)
        : this.#random.pick(['api', 'api', 'api', 'mcp', 'batch'] as const)
    const batchId = surface === 'batch' ? this.#random.uuid() : null
    const host = platform === 'direct' ? this.#random.pick(hosts) : hostOf[platform]
    const url = `https://${host}/${this.#random.between(1, 50)}.mp4`
    const request = { orgId: this.#orgId, kind, mode, keyId, surface, batchId, url, budget, lane }
    const made = this.#random.chance(0.01)
      ? notAccepted(at, request)
      : new JobHistory(at + 30, platform, request, this.#random).events()
    for (const event of made) this.#record(streams.job(jobId), jobId, event)
    const settlement = settlementOf(made.reduce(job.evolve, job.initialState))
    const endedAt = made.at(-1)?.recordedAt ?? at
    if (settlement !== undefined)
      this.#plan(endedAt + 40, (then) => this.#pay(then, { type: 'settle', jobId, ...settlement }, jobId))
  }
}

type Made = JobFixture['events']
type Request = NonNullable<ConstructorParameters<typeof JobFixture>[0]>

/** The process died after the debit: the orchestrator refunds the credits. */
const notAccepted = (debitedAt: number, { orgId = '', kind = 'transcript' }: Request): Made =>
  job
    .decide({ type: 'refuse', orgId, kind, debitedAt, now: debitedAt + 16 * SECOND }, job.initialState)
    .map((event) => ({ ...event, recordedAt: debitedAt + 16 * SECOND }))

/** The events of one job, starting with its request. */
class JobHistory {
  readonly #fixture: JobFixture
  readonly #platform: Platform
  readonly #random: Random
  readonly #audioSeconds: number

  constructor(at: number, platform: Platform, request: Request, random: Random) {
    this.#platform = platform
    this.#random = random
    this.#audioSeconds = random.between(30, 900)
    this.#fixture = new JobFixture({ ...request, windowSeconds: 240 })
    const [requested] = this.#fixture.events.splice(0)
    this.#fixture.job = job.initialState
    this.#fixture.now = at
    if (requested !== undefined) this.#fixture.record(requested)
  }

  events(): Made {
    const fixture = this.#fixture
    // Jobs of the last minutes are still running.
    while (fixture.job.status === 'open' && fixture.now < TO) this.#moveOn()
    return fixture.events.filter(({ recordedAt }) => recordedAt < TO)
  }

  #moveOn(): void {
    const fixture = this.#fixture
    const due = fixture.next
    if (due.type === 'fail') fixture.send({ type: 'give-up', now: fixture.now })
    else if (due.type === 'wait') fixture.now = Math.ceil(due.until)
    else {
      fixture.wait(this.#waitForWorker(due.step))
      if (fixture.next.type === 'step') this.#attempt()
    }
  }

  #waitForWorker(step: string): number {
    const { now } = this.#fixture
    if (now >= DOWN.from && now < DOWN.to) return (DOWN.to - now + this.#random.between(0, 1000)) / 1000
    const busy = step === 'speech-to-text' && inSlowSpeech(this.#fixture.now) ? 40 : 1
    const isPriority = this.#fixture.job.status === 'open' && this.#fixture.job.lane === 'priority'
    return Math.round(this.#random.next() * busy * (isPriority ? 300 : 2000)) / 1000
  }

  #attempt(): void {
    const fixture = this.#fixture
    fixture.start(30)
    const { step } = fixture.claim
    const { now } = fixture
    const seconds =
      step === 'speech-to-text' ? this.#audioSeconds / (inSlowSpeech(now) ? 2 : 12) : 0.2 + this.#random.next() * 4
    if (this.#random.chance(0.01)) return void fixture.wait(1).release()
    if (this.#random.chance(0.01)) return void fixture.wait(31)
    if (this.#random.chance(0.01)) return void fixture.wait(2).send({ type: 'cancel' })
    // Its worker stops when all others do.
    if (now < DOWN.from && now + seconds * SECOND > DOWN.from) return void fixture.wait(31)
    for (let left = seconds; left > 0; left -= 20) {
      fixture.wait(Math.round(Math.min(left, 20) * 1000) / 1000)
      if (left > 20) fixture.extend(30)
    }
    const code = this.#failureOf(step)
    if (fixture.next.type === 'fail') fixture.send({ type: 'give-up', now: fixture.now })
    else if (code === undefined) fixture.succeed(this.#resultOf(step))
    else fixture.fail(this.#problemOf(step, code), this.#random.next())
  }

  #failureOf(step: string): FailureCode | undefined {
    const isOut = this.#platform === 'youtube' && inOutage(this.#fixture.now)
    if (step === 'fetch' && isOut && this.#random.chance(0.97)) return 'platform_blocked'
    if (step === 'fetch' && this.#random.chance(0.03)) return 'video_private'
    if (step === 'extract' && this.#random.chance(0.08)) return 'extraction_invalid'
    return this.#random.chance(0.05) ? 'upstream_error' : undefined
  }

  #problemOf(step: string, code: FailureCode): ReturnType<typeof problem> {
    const audioSeconds = step === 'speech-to-text' ? Math.round(this.#audioSeconds / 2) : 0
    const tokens = step === 'extract' ? { input: 900, output: 40 } : { input: 0, output: 0 }
    const isHost = step === 'fetch' || step === 'caption'
    const host = this.#platform === 'direct' ? ('direct' as const) : ('platform' as const)
    const isTransient = code === 'upstream_error' || code === 'platform_blocked'
    return problem(code, { transient: isTransient, ...(isHost && { host }), used: { audioSeconds, tokens } })
  }

  #resultOf(step: string): Parameters<JobFixture['succeed']>[0] {
    const audioSeconds = this.#audioSeconds
    switch (step) {
      case 'fetch':
        return {
          type: 'VideoFetched',
          data: {
            ...results.fetched.data,
            captionTracks: [],
            formats: [],
            platform: this.#platform,
            durationSeconds: audioSeconds,
          },
        }
      case 'caption':
        return this.#random.chance(this.#platform === 'youtube' ? 0.85 : 0.4)
          ? { type: 'CaptionsRead', data: { ...results.captions.data, segments: [...results.captions.data.segments] } }
          : results.noCaptions
      case 'speech-to-text':
        return {
          type: 'SpeechTranscribed',
          data: { ...results.speech.data, segments: [...results.speech.data.segments], audioSeconds },
        }
      default:
        return { ...results.extraction, data: { ...results.extraction.data, tokens: { input: 1200, output: 150 } } }
    }
  }
}
