import { expect } from 'chai'
import { debited as debitedOf, renewed, settled as settledOf } from '#packages/domain/credits/credits.fixture.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { explainJob } from './explain-job.ts'
import { stored } from './history-store.fixture.ts'
import { RunningWorkers } from './nobody-ran.ts'

const AT = Date.UTC(2026, 10, 21, 12)
const ORG = '7b0c7d9e-53a1-4f0c-9d1e-2f6f0a3c1b01'

/** The explanation of a golden history five seconds after its last event. */
function explained(name: string) {
  const history = readHistories().find((each) => each.name === name)
  if (history === undefined) throw new Error(`there is no history ${name}`)
  const { events } = history
  const jobId = events[0]?.stream.slice('job-'.length) ?? ''
  return explainJob({ jobId, orgId: ORG, events }, (events.at(-1)?.recordedAt ?? 0) + 5000)
}

/** Events of a job and of its ledger, at intervals of one second. */
const storedAll = (...events: DomainEvent[]): StoredEvent[] =>
  events.map((event, index) => {
    const stream = event.type.startsWith('Credits') ? 'credits-org-1' : 'job-j1'
    return stored(event, { stream, revision: index, position: index + 1, recordedAt: AT + index * 1000 })
  })

const debited = debitedOf('j1', 5)
const settled = (charged: number, reason: string) => settledOf('j1', charged, 5 - charged, reason)
const requested: DomainEvent = { type: 'JobRequested', data: jobRequested() }
const started = (attempt: number): DomainEvent => ({
  type: 'StepStarted',
  data: { step: 'fetch', attempt, worker: 'w', leaseSeconds: 30 },
})
const stepFailed = (attempt: number, code: string, retryAfterSeconds: number): DomainEvent => ({
  type: 'StepFailed',
  data: { step: 'fetch', attempt, code, retryAfterSeconds, used: null },
})
const failed = (code: string): DomainEvent => ({
  type: 'JobFailed',
  data: { orgId: 'org-1', kind: 'transcript', code, message: 'Made up.', used: null },
})
const sentencesOf = (...events: DomainEvent[]): readonly string[] =>
  explainJob({ jobId: 'j1', orgId: 'org-1', events: storedAll(...events) }, AT + events.length * 1000).sentences

describe('why a job ended as it did', () => {
  it('tells what was tried, what failed, and what was waited for', () => {
    const { sentences, spent, attempts, status } = explained('job-generate-with-retry')
    expect(sentences.slice(1, 7)).to.deep.equal([
      'It is a transcript of https://videos.example.com/talk.mp4 in mode generate, and had 180 s.',
      'After 0.004 s, fetch began, attempt 1; 0.400 s later it failed with upstream_error, to be tried again after 0.250 s.',
      'After 0.654 s, fetch began, attempt 2; 0.900 s later it had its result, VideoFetched (12.5 s of mp4, from example.com by direct).',
      'After 1.557 s, speech-to-text began, attempt 1; 15.000 s later it was given back, because its worker stopped.',
      'After 17.557 s, speech-to-text began, attempt 2; 23.000 s later it had its result, SpeechTranscribed (1 segment by pocketsphinx, from example.com by direct).',
      'It completed after 40.557 s.',
    ])
    expect(sentences[7]).to.equal(
      'Workers had it for 39.300 s; it waited 1.007 s for a free worker and 0.250 s to try again.',
    )
    expect(spent).to.deep.equal({
      ...{ worked: 39_300, waitedForWorker: 1007, waitedForRetry: 250 },
      ...{ nobodyRan: 0, waitedForLease: 0 },
    })
    expect(attempts).to.have.length(4)
    expect(status).to.equal('completed')
  })

  const reasons: Record<string, string> = {
    'job-three-leases-lost': '3 leases of fetch ran out: its input probably kills workers.',
    'job-timed-out': 'Its window had passed while speech-to-text was at work.',
    'job-not-accepted':
      'Its credits were taken, and its request was never stored: the process that took them died or lost the store.',
    'job-auto-short-of-credits': 'There were no captions, and it had only 1 of the 5 credits for speech-to-text.',
    'job-failed': 'It failed after 0.610 s with video_private: The video is private.',
    'job-extraction-failed': 'It was not retried: the failure was final, or left no time for another attempt.',
    'job-cancelled':
      'It failed after 13.152 s with cancelled: The job was cancelled by its owner; nothing was charged.',
    'job-at-work': 'It has not ended. caption is at work. Its deadline is 2026-01-15T12:03:00.000Z.',
  }
  for (const [name, reason] of Object.entries(reasons))
    it(`gives the reason: ${name}`, () => {
      expect(explained(name).sentences).to.contain(reason)
    })

  it('says that no failure of a host is retried after six starts', () => {
    const blocked = (attempt: number): DomainEvent[] => [started(attempt), stepFailed(attempt, 'platform_blocked', 1)]
    const five = [1, 2, 3, 4, 5].flatMap(blocked)
    const sentences = sentencesOf(debited, requested, ...five, started(6), failed('platform_blocked'))
    expect(sentences).to.contain('Its steps had been started 6 times: after 6 no failure of a host outside is retried.')
    expect(sentences.at(-1)).to.equal('5 credits are held for it.')
    const paced = [started(1), stepFailed(1, 'released', 40), ...five.slice(2), started(6)]
    const waited = sentencesOf(debited, requested, ...paced, failed('platform_blocked'))
    expect(waited.join(' '), 'one start only waited').to.not.contain('Its steps had been started')
  })

  it('tells that a video waited for its turn at its platform', () => {
    const events = storedAll(debited, requested, started(1), stepFailed(1, 'released', 40))
    const { sentences, spent } = explainJob({ jobId: 'j1', orgId: 'org-1', events }, AT + 43_000)
    expect(sentences.join(' ')).to.contain('it was given back for 40.000 s, to keep the pace of its platform')
    expect(spent).to.include({ waitedForRetry: 40_000 })
  })

  it('tells a free worker, downtime and the lease of a killed worker apart', () => {
    const at = (second: number, event: DomainEvent, stream = 'job-j1'): StoredEvent[] => [
      stored(event, { stream, recordedAt: AT + second * 1000 }),
    ]
    const first = [...at(1, requested), ...at(2, started(1))]
    const other = [...at(40, started(1), 'job-j2'), ...at(60, results.fetched, 'job-j2')]
    const again = at(92, started(2))
    const workers = new RunningWorkers(AT)
    for (const event of [...first, ...other, ...again]) workers.take(event)
    const [now, events] = [AT + 93_000, [...first, ...again]]
    const { spent, sentences } = explainJob({ jobId: 'j1', orgId: 'org-1', events }, now, workers.nobodyRan(now))
    // The lease of the first attempt ran out in second 32. From second 40 to 60 a worker had another job.
    expect(spent).to.deep.equal({
      ...{ worked: 1000, waitedForLease: 30_000, waitedForWorker: 29_000, nobodyRan: 32_000, waitedForRetry: 0 },
    })
    expect(sentences.join(' ')).to.contain(
      'it waited 29.000 s for a free worker, 32.000 s while no worker was running and 30.000 s for the lease of a killed worker to run out.',
    )
  })

  it('tells what was charged, and why', () => {
    const completed: DomainEvent = { type: 'JobCompleted', data: { orgId: 'org-1', kind: 'transcript', credits: 1 } }
    const read = [started(1), results.fetched, results.captions]
    expect(sentencesOf(debited, requested, ...read, completed, settled(1, 'completed')).at(-1)).to.equal(
      'Of 5 credits taken, 1 stayed, 4 came back, because captions cost 1; settled 1.000 s after the end.',
    )
    const expired = renewed('2026-12', 0, 5)
    const refunded = sentencesOf(debited, requested, failed('timeout'), settled(0, 'timeout'), expired)
    expect(refunded.slice(-2)).to.deep.equal([
      'Of 5 credits taken, 0 stayed, 5 came back, because a failed job costs nothing; settled 1.000 s after the end.',
      'The refund was of a month that had ended: 5 credits expired at once.',
    ])
  })

  it('explains every golden history, open or ended, without a riddle', () => {
    for (const { name, kind } of readHistories()) {
      if (kind !== 'job') continue
      const { sentences, attempts } = explained(name)
      expect(sentences.length, name).to.be.greaterThan(attempts.length + 1)
      for (const sentence of sentences)
        expect(sentence, name)
          .to.match(/^[A-Z0-9].*\.$/)
          .and.to.not.match(/undefined|NaN/)
    }
  })
})
