import { expect } from 'chai'
import fc from 'fast-check'
import type { EventData } from '#contracts/generated/events.ts'
import { fold, type Recorded } from '#packages/event-sourcing/decider.ts'
import { type JobEvent, type Step, steps } from './events.ts'
import { type FailureCode, failures } from './failure.ts'
import {
  JobFixture,
  jobFailed,
  jobRequested,
  problem,
  report,
  results,
  stepFailed,
  stepStarted,
} from './job.fixture.ts'
import { type JobCommand, job as jobDecider, type StepProblem, settlementOf } from './job.ts'
import { next } from './next.ts'
import type { Job } from './state.ts'
import { nothingUsedYet } from './used.ts'

const RUNS = 500

const check = <T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void): void =>
  fc.assert(fc.property(arbitrary, property), { numRuns: RUNS })

const step = fc.constantFrom(...steps)
const code = fc.constantFrom(...(Object.keys(failures) as FailureCode[]))
const attempt = fc.integer({ min: 1, max: 5 })
const leaseSeconds = fc.constantFrom(1, 30, 100)
const result = fc.constantFrom(...Object.values(results))

const request: fc.Arbitrary<Partial<EventData['JobRequested']>> = fc
  .constantFrom(
    { kind: 'transcript', mode: 'native', budget: 1 } as const,
    { kind: 'transcript', mode: 'generate', budget: 5 } as const,
    { kind: 'transcript', mode: 'auto', budget: 5 } as const,
    { kind: 'transcript', mode: 'auto', budget: 1 } as const,
    { kind: 'extraction', mode: null, budget: 10 } as const,
  )
  .chain((what) => fc.constantFrom(3, 60, 180).map((windowSeconds) => ({ ...what, windowSeconds })))

const aProblem: fc.Arbitrary<StepProblem> = fc
  .record({ code, transient: fc.boolean(), retryAfterSeconds: fc.option(fc.double({ min: 0, max: 60, noNaN: true })) })
  .map(({ code, transient, retryAfterSeconds }) =>
    problem(code, { transient, retryAfterSeconds: retryAfterSeconds ?? undefined }),
  )

const end = { orgId: 'org-1', kind: 'transcript' } as const
const anyEvent: fc.Arbitrary<JobEvent> = fc.oneof(
  request.map((data): JobEvent => ({ type: 'JobRequested', data: jobRequested(data) })),
  fc.record({ step, attempt, leaseSeconds }).map(stepStarted),
  fc.record({ step, attempt, leaseSeconds }).map((data): JobEvent => ({ type: 'LeaseExtended', data })),
  fc
    .record({ step, attempt, code: fc.oneof(code, fc.constant('released')), retryAfterSeconds: fc.nat(9) })
    .map(stepFailed),
  result,
  fc.constantFrom(1, 5, 10).map((credits): JobEvent => ({ type: 'JobCompleted', data: { ...end, credits } })),
  code.map((code) => jobFailed({ code, message: failures[code].message })),
)

/** Any events in any order, at times that may go back. */
const anyHistory = fc.array(
  fc
    .record({ event: anyEvent, recordedAt: fc.nat(200_000) })
    .map(({ event, recordedAt }) => ({ ...event, recordedAt })),
  { maxLength: 40, size: 'max' },
)

type Act =
  | { type: 'wait'; seconds: number }
  | { type: 'start' }
  | { type: 'extend' }
  | { type: 'release' }
  | { type: 'cancel' }
  | { type: 'succeed'; right: boolean; result: (typeof results)[keyof typeof results] }
  | { type: 'fail'; problem: StepProblem; step: Step | undefined; chance: number }

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ type: fc.constant('wait' as const), seconds: fc.constantFrom(0, 0.3, 2, 31) }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('start' as const) }) },
  { weight: 1, arbitrary: fc.constantFrom<Act>({ type: 'extend' }, { type: 'release' }, { type: 'cancel' }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('succeed' as const), right: fc.constant(true), result }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('succeed' as const), right: fc.boolean(), result }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('fail' as const),
      problem: aProblem,
      step: fc.option(step, { nil: undefined }),
      chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    }),
  },
)
const acts = fc.array(act, { maxLength: 60, size: 'max' })

const resultOf: Record<Step, (typeof results)[keyof typeof results]> = {
  fetch: results.fetched,
  caption: results.captions,
  'speech-to-text': results.speech,
  extract: results.extraction,
}

const claimedStep = (job: Job): Step | undefined => (job.status === 'open' ? job.claim?.step : undefined)

/** Applies an act to the job. A senseless act may decide nothing, or something odd. */
function perform(fixture: JobFixture, act: Act): void {
  const { job } = fixture
  if (act.type === 'wait') fixture.wait(act.seconds)
  else if (act.type === 'release') fixture.release()
  else if (act.type === 'cancel') fixture.send({ type: 'cancel' })
  else if (act.type === 'start') {
    if (job.status === 'open' && fixture.next.type === 'step') fixture.start()
  } else if (act.type === 'extend') {
    if (claimedStep(job) !== undefined) fixture.extend()
  } else if (act.type === 'succeed') {
    const at = claimedStep(job)
    if (!act.right) fixture.succeed(act.result)
    else if (at !== undefined) fixture.succeed(resultOf[at])
  } else {
    const at = act.step ?? claimedStep(job) ?? 'fetch'
    fixture.send(report(at, act.problem, fixture.now, act.chance))
  }
}

function play(request: Partial<EventData['JobRequested']>, acts: readonly Act[]): JobFixture {
  const fixture = new JobFixture(request)
  for (const act of acts) perform(fixture, act)
  return fixture
}

const initialJob = jobDecider.initialState
const foldJob = (events: readonly Recorded<JobEvent>[]): Job => fold(jobDecider, events)
const isTerminal = ({ type }: JobEvent): boolean => type === 'JobCompleted' || type === 'JobFailed'

function expectNotDone(job: Job, now: number): void {
  if (job.status !== 'open') return
  const due = next(job, now)
  if (due.type === 'wait') expect(due.until).to.be.greaterThan(now)
  if (due.type !== 'step') return
  const { fetched, captions, transcribed, extracted } = job
  const done = { fetch: fetched, caption: captions !== 'unread', 'speech-to-text': transcribed, extract: extracted }
  expect(done[due.step], `${due.step} is done`).to.equal(false)
}

describe('any history of a job (fast-check)', () => {
  it('can be folded in any order, with repeats and gaps, and next() never proposes a finished step', () => {
    check(fc.tuple(anyHistory, fc.nat(200_000)), ([history, now]) => {
      let job = initialJob
      let ended: Job | undefined
      for (const event of history) {
        job = jobDecider.evolve(job, event)
        expectNotDone(job, now)
        if (ended !== undefined) expect(job).to.equal(ended)
        if (job.status === 'completed' || job.status === 'failed') ended = job
      }
    })
  })

  it('accepts every command without an exception', () => {
    check(fc.tuple(anyHistory, result, aProblem, step, fc.nat(200_000)), ([history, result, problem, at, now]) => {
      const job = foldJob(history)
      const commands: JobCommand[] = [
        { type: 'record-result', result, now },
        report(at, problem, now, 0.5),
        { type: 'release' },
        { type: 'cancel' },
        { type: 'extend', leaseSeconds: 30 },
        { type: 'discard-result', used: nothingUsedYet() },
        { type: 'give-up', now },
      ]
      for (const command of commands) {
        const events = jobDecider.decide(command, job)
        expect(events.filter(isTerminal)).to.have.length.at.most(1)
        if (job.status !== 'open') expect(events).to.deep.equal([])
      }
      settlementOf(job)
    })
  })

  it('has at most one end, and nothing after it', () => {
    check(fc.tuple(request, acts), ([request, all]) => {
      const { events } = play(request, all)
      const first = events.findIndex(isTerminal)
      if (first !== -1) expect(first).to.equal(events.length - 1)
    })
  })

  it('folds to the same state if any of its events is delivered again, at once or later', () => {
    const again = fc.array(fc.record({ which: fc.nat(), later: fc.oneof(fc.constant(0), fc.nat(20)) }), {
      maxLength: 8,
    })
    check(fc.tuple(request, acts, again), ([request, all, again]) => {
      const { events, job } = play(request, all)
      const repeated: { at: number; event: Recorded<JobEvent> }[] = events.map((event, at) => ({ event, at }))
      for (const { which, later } of again) {
        const index = which % events.length
        const event = events[index]
        if (event !== undefined) repeated.push({ event, at: index + later + 0.5 })
      }
      expect(foldJob(repeated.sort((a, b) => a.at - b.at).map(({ event }) => event))).to.deep.equal(job)
    })
  })

  it('folds to a state from which the job can continue, wherever the history is cut off', () => {
    check(fc.tuple(request, acts, fc.nat()), ([request, all, cut]) => {
      const { events, now } = play(request, all)
      const job = foldJob(events.slice(0, 1 + (cut % events.length)))
      expectNotDone(job, now)
      if (job.status === 'open') expect(next(job, job.deadlineAt)).to.deep.equal({ type: 'fail', code: 'timeout' })
    })
  })

  it('charges no more than was debited, and nothing for a failure', () => {
    check(fc.tuple(request, acts), ([request, all]) => {
      const right = all.filter((act) => act.type !== 'succeed' || act.right)
      const settlement = settlementOf(play(request, right).job)
      if (settlement === undefined) return
      expect(settlement.charged).to.be.at.most(request.budget ?? 0)
      if (settlement.reason !== 'completed') expect(settlement.charged).to.equal(0)
      else expect(settlement.charged).to.be.at.least(1)
    })
  })
})

/** The course of an attempt: how long it works, and how it ends. */
type Fate = {
  seconds: number
  ends: 'well' | 'vanishes' | 'released' | 'without-captions' | StepProblem
  chance: number
}

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const seconds = fc.double({ min: 0, max: 20, noNaN: true })
const fates = (ends: fc.Arbitrary<Fate['ends']>): fc.Arbitrary<Fate[]> =>
  fc.array(fc.record({ seconds, ends, chance }), { maxLength: 40, size: 'max' })

/** Runs the job as orchestrator and workers do, one fate per attempt, until it ends. */
function run(request: Partial<EventData['JobRequested']>, fates: readonly Fate[]): JobFixture {
  const fixture = new JobFixture(request)
  const left = [...fates]
  for (let turn = 0; fixture.job.status === 'open'; turn++) {
    expect(turn, 'turns of one job').to.be.lessThan(1000)
    const due = fixture.next
    if (due.type === 'fail') fixture.send({ type: 'give-up', now: fixture.now })
    else if (due.type === 'wait') fixture.now = due.until
    else attemptOf(fixture.start(), left.shift() ?? { seconds: 1, ends: 'well', chance: 0 })
  }
  return fixture
}

function attemptOf(fixture: JobFixture, { seconds, ends, chance }: Fate): void {
  if (fixture.job.status !== 'open' || ends === 'vanishes') return
  const { step } = fixture.claim
  // A worker stops at the deadline, whatever it does.
  if (fixture.now + seconds * 1000 >= fixture.job.deadlineAt) return
  fixture.wait(seconds)
  if (ends === 'released') fixture.release()
  else if (ends === 'well') fixture.succeed(resultOf[step])
  else if (ends === 'without-captions') fixture.succeed(step === 'caption' ? results.noCaptions : resultOf[step])
  else fixture.fail(ends, chance)
}

describe('any run of a job (fast-check)', () => {
  const trouble = fc.oneof(fc.constantFrom<Fate['ends']>('well', 'vanishes', 'released', 'without-captions'), aProblem)

  it('ends, with exactly one terminal event, by its deadline', () => {
    check(fc.tuple(request, fates(trouble)), ([request, fates]) => {
      const { events, job, now } = run(request, fates)
      expect(job.status).to.be.oneOf(['completed', 'failed'])
      expect(events.filter(isTerminal)).to.have.length(1)
      expect(now).to.be.at.most((events[0]?.recordedAt ?? 0) + (request.windowSeconds ?? 0) * 1000)
    })
  })

  it('completes if its steps can succeed, despite two lost leases or transient errors', () => {
    const passing = problem('upstream_error')
    const quick = { seconds: fc.double({ min: 0, max: 2, noNaN: true }), chance }
    const hitch = fc.record({ ...quick, ends: fc.constantFrom<Fate['ends']>('released', passing) })
    const lost = fc.record({ ...quick, ends: fc.constant<Fate['ends']>('vanishes') })
    const some = fc.tuple(fc.array(hitch, { maxLength: 4 }), fc.array(lost, { maxLength: 2 }))
    const mixed = some.chain(([hitches, losses]) => fc.shuffledSubarray([...hitches, ...losses]))
    const enough = request.filter(({ windowSeconds, budget }) => windowSeconds === 180 && budget !== 1)
    check(fc.tuple(enough, mixed), ([request, fates]) => {
      expect(run(request, fates).job.status).to.equal('completed')
    })
  })
})
