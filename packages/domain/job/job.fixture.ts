import type { EventData } from '#contracts/generated/events.ts'
import type { Recorded } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { untold } from '#test/doubles/untold.ts'
import { type JobEvent, noOptions, type Step, type StepResult } from './events.ts'
import { type JobCommand, job, type StepProblem } from './job.ts'
import { type Next, next } from './next.ts'
import { pricesOf } from './price.ts'
import type { Job } from './state.ts'

/** A job request with made-up data. */
export const jobRequested = (data: Partial<EventData['JobRequested']> = {}): EventData['JobRequested'] => ({
  orgId: 'org-1',
  kind: 'transcript',
  url: 'https://videos.example.com/talk.mp4',
  mode: 'auto',
  lang: null,
  prompt: null,
  schema: null,
  keyId: null,
  surface: 'api',
  webhookId: null,
  reuse: false,
  reused: null,
  batchId: null,
  options: noOptions,
  budget: 5,
  prices: pricesOf(data.kind ?? 'transcript'),
  lane: 'standard',
  requestHash: 'c'.repeat(64),
  idempotencyKeyHash: null,
  windowSeconds: 180,
  ...data,
})

/** A result of every step, with made-up data. */
export const results = {
  fetched: {
    type: 'VideoFetched',
    data: {
      canonicalUrl: 'https://videos.example.com/talk.mp4',
      platform: 'direct',
      metadata: { ...untold, title: 'A talk' },
      durationSeconds: 12.5,
      liveState: 'none',
      captionTracks: [],
      formats: [],
    },
  },
  captions: {
    type: 'CaptionsRead',
    data: {
      language: 'en',
      source: 'human',
      engine: 'embedded',
      model: null,
      audioSeconds: null,
      segments: [{ start: 0, end: 1.5, text: 'Hello.' }],
    },
  },
  noCaptions: { type: 'CaptionsUnavailable', data: { reason: 'captions_unavailable' } },
  speech: {
    type: 'SpeechTranscribed',
    data: {
      language: 'en',
      source: 'speech',
      engine: 'pocketsphinx',
      model: null,
      audioSeconds: 12.5,
      segments: [{ start: 0.2, end: 1.4, text: 'hello' }],
    },
  },
  extraction: {
    type: 'ExtractionProduced',
    data: {
      result: { topic: 'greetings' },
      model: 'made-up',
      promptHash: 'd'.repeat(64),
      schemaHash: null,
      framesUsed: 3,
      tokens: { input: 10, output: 5 },
      rounds: 1,
    },
  },
} as const satisfies Record<string, StepResult>

export const stepStarted = (data: Partial<EventData['StepStarted']> = {}): DomainEvent<'StepStarted'> => ({
  type: 'StepStarted',
  data: { step: 'fetch', attempt: 1, worker: 'worker-1', leaseSeconds: 30, ...data },
})
export const stepFailed = (data: Partial<EventData['StepFailed']> = {}): DomainEvent<'StepFailed'> => ({
  type: 'StepFailed',
  data: { step: 'fetch', attempt: 1, code: 'upstream_error', retryAfterSeconds: 0, used: null, ...data },
})
export const jobFailed = (data: Partial<EventData['JobFailed']> = {}): DomainEvent<'JobFailed'> => ({
  type: 'JobFailed',
  data: { orgId: 'org-1', kind: 'transcript', code: 'timeout', message: 'made up', used: null, ...data },
})

/** A failed attempt. It is transient unless `more` says otherwise. */
export const problem = (code: StepProblem['code'], more: Partial<StepProblem> = {}): StepProblem => ({
  code,
  message: `made up: ${code}`,
  transient: true,
  retryAfterSeconds: undefined,
  ...more,
})

/** The report of a worker. */
export const report = (step: Step, problem: StepProblem, now = 0, chance = 0) =>
  ({ type: 'report-problem', step, problem, now, chance }) as const

/** The code with which the job has failed. */
export const failureOf = ({ job }: JobFixture): string | undefined => (job.status === 'failed' ? job.code : undefined)

/**
 * The events of one job, for tests. Each call records events at `now`, and only {@link JobFixture.wait} advances it.
 */
export class JobFixture {
  /** Milliseconds since 1970. */
  now = Date.UTC(2026, 0, 15, 12)
  readonly events: Recorded<JobEvent>[] = []
  job: Job = job.initialState

  constructor(request?: Partial<EventData['JobRequested']>) {
    this.send({ type: 'request', request: jobRequested(request) })
  }

  record(...events: JobEvent[]): this {
    for (const event of events) {
      const recorded: Recorded<JobEvent> = { ...event, recordedAt: this.now }
      this.events.push(recorded)
      this.job = job.evolve(this.job, recorded)
    }
    return this
  }

  /** Decides a command, and records its events. */
  send(command: JobCommand): this {
    return this.record(...job.decide(command, this.job))
  }

  wait(seconds: number): this {
    this.now += seconds * 1000
    return this
  }

  /** The next due action. Only for open jobs. */
  get next(): Next {
    if (this.job.status !== 'open') throw new Error(`the job is ${this.job.status}`)
    return next(this.job, this.now)
  }

  /** Claims the step that is due. */
  start(leaseSeconds = 30): this {
    const due = this.next
    if (due.type !== 'step') throw new Error(`no step is due but ${due.type}`)
    const { step, attempt } = due
    return this.send({ type: 'start', step, attempt, worker: 'worker-1', leaseSeconds })
  }

  extend(leaseSeconds = 30): this {
    return this.send({ type: 'extend', leaseSeconds })
  }

  succeed(result: StepResult): this {
    return this.send({ type: 'record-result', result, now: this.now })
  }

  fail(problem: StepProblem, chance = 0.5): this {
    return this.send(report(this.claim.step, problem, this.now, chance))
  }

  /** @param afterSeconds how long to wait for the pace of a platform */
  release(afterSeconds = 0): this {
    return this.send({ type: 'release', afterSeconds })
  }

  get claim(): { step: Step; attempt: number } {
    if (this.job.status !== 'open' || this.job.claim === undefined) throw new Error('nobody is at work')
    return this.job.claim
  }

  get last(): Recorded<JobEvent> | undefined {
    return this.events.at(-1)
  }
}
