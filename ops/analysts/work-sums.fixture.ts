/** The answers to the questions about platforms, steps and keys, computed from the events without SQL. */

import { resultTypes } from '#packages/domain/job/events.ts'
import { failureCodeOf, failures } from '#packages/domain/job/failure.ts'
import { type Attempt, isLost, waitsOf, workedOn } from '#packages/history/questions/attempts.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Sums } from './business-sums.fixture.ts'
import { byText, dayOf, type Facts, grouped, type JobFacts, quantile, sum } from './facts.fixture.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const platformOf = ({ debit }: JobFacts): string => debit.data.platform ?? 'not known'

const refunds: Sums = ({ jobs }) => {
  const settled = jobs.filter(({ settlement }) => settlement !== undefined)
  const refundedIn = (some: readonly JobFacts[]): number =>
    sum(some.map(({ settlement }) => settlement?.data.refunded ?? 0))
  const rows = grouped(settled, platformOf).flatMap(({ key: [platform = ''], all }) => {
    const debited = sum(all.map(({ debit }) => debit.data.credits))
    const failed = all.filter(({ status }) => status === 'failed')
    return grouped(failed, ({ code }) => code ?? '').map(({ key: [cause = ''], all: some }) => {
      const refunded = refundedIn(some)
      return { platform, cause, jobs: some.length, refunded, percent: (100 * refunded) / debited }
    })
  })
  return rows.sort(
    (one, other) =>
      byText(one.platform, other.platform) || other.refunded - one.refunded || byText(one.cause, other.cause),
  )
}

const failedPlatforms: Sums = ({ jobs }) => {
  const ended = jobs.filter(({ status }) => status !== 'open')
  return grouped(ended, ({ debit }) => dayOf(debit.recordedAt), platformOf).flatMap(
    ({ key: [day = '', platform = ''], all }) => {
      const failed = all.filter(({ code }) => code !== null && failures[failureCodeOf(code)].isOurs === true)
      if (failed.length < 3 || failed.length < 0.2 * all.length) return []
      return [
        {
          ...{ day, platform, jobs: all.length, failed: failed.length },
          refunded: sum(failed.map(({ settlement }) => settlement?.data.refunded ?? 0)),
          worked_seconds: sum(failed.map(({ spent }) => spent.worked)) / 1000,
        },
      ]
    },
  )
}

const captionsEnough: Sums = ({ jobs }) => {
  const auto = jobs.filter(({ request, status }) => request?.data.mode === 'auto' && status === 'completed')
  const textOf = ({ events }: JobFacts): string =>
    events.some(({ type }) => type === 'CaptionsRead') ? 'captions' : 'speech'
  return grouped(auto, platformOf, textOf).map(({ key: [platform = '', text = ''], all }) => {
    const percent = (100 * all.length) / auto.filter((job) => platformOf(job) === platform).length
    const charged = sum(all.map(({ settlement }) => settlement?.data.charged ?? 0))
    return { platform, text_from: text, jobs: all.length, percent, charged }
  })
}

/** The Monday of an instant's week. */
const weekOf = (instant: number): string => dayOf(instant - ((new Date(instant).getUTCDay() + 6) % 7) * DAY_MS)

const waits: Sums = ({ jobs }) => {
  const completed = jobs.flatMap(({ request, status, endedAt }) =>
    request !== undefined && status === 'completed'
      ? [
          {
            week: weekOf(request.recordedAt),
            lane: request.data.lane,
            seconds: ((endedAt ?? 0) - request.recordedAt) / 1000,
          },
        ]
      : [],
  )
  return grouped(completed, 'week', 'lane').map(({ key: [week = '', lane = ''], all }) => {
    const seconds = all.map((each) => each.seconds)
    return {
      week,
      lane,
      jobs: all.length,
      median_seconds: quantile(seconds, 0.5),
      p95_seconds: quantile(seconds, 0.95),
    }
  })
}

/** The event before which a job waited longest. */
function longestWait({ events, attempts, endedAt }: JobFacts): string | null {
  const until = endedAt ?? attempts.at(-1)?.startedAt ?? 0
  const waits = waitsOf(attempts, events[0]?.recordedAt ?? 0, until).map(({ step, paused, dueAt, to }) => ({
    ...{ step: step ?? 'end', stood: paused + Math.max(0, to - dueAt) },
  }))
  const longest = waits.reduce((one, other) => (other.stood > one.stood ? other : one))
  return longest.stood > 0 ? longest.step : null
}

const longestWaits: Sums = ({ jobs }) =>
  jobs
    .map((job) => {
      const { jobId, debit, request, status, code, spent } = job
      return {
        ...{ job_id: jobId, platform: debit.data.platform, mode: debit.data.mode ?? debit.data.operation },
        ...{ lane: request?.data.lane ?? null, end: code ?? status },
        waited_seconds: request === undefined ? 0 : spent.waitedForWorker / 1000,
        paused_seconds: request === undefined ? 0 : spent.waitedForRetry / 1000,
        longest_wait_for: longestWait(job),
      }
    })
    .sort((one, other) => waitOf(other) - waitOf(one))
    .slice(0, 20)

const waitOf = (row: { waited_seconds: number; paused_seconds: number }): number =>
  row.waited_seconds + row.paused_seconds

/** Attempts, each with its wait for a free worker (milliseconds) and the event that ended it. */
const attemptsIn = ({ jobs, nobodyRan }: Facts): { attempt: Attempt; waited: number; end: StoredEvent | undefined }[] =>
  jobs.flatMap(({ attempts, events }) => {
    const waits = waitsOf(attempts, events[0]?.recordedAt ?? 0, 0)
    return attempts.map((attempt, index) => {
      const start = events.findIndex(
        ({ type, data }) => type === 'StepStarted' && data.step === attempt.step && data.attempt === attempt.attempt,
      )
      const end = events.slice(start + 1).find(({ type }) => type !== 'LeaseExtended')
      const { step, dueAt = 0, to = 0 } = waits[index] ?? {}
      return { attempt, waited: Math.max(0, to - dueAt) - nobodyRan({ step, from: dueAt, to }), end }
    })
  })

const slowSpeech: Sums = (facts) => {
  const transcribed = attemptsIn(facts).flatMap(({ attempt, waited, end }) => {
    if (end?.type !== 'SpeechTranscribed' || attempt.startedAt <= facts.now - 7 * DAY_MS) return []
    const { startedAt } = attempt
    return [
      {
        startedAt,
        worked: workedOn(attempt),
        waited,
        audio: end.data.audioSeconds ?? 0,
      },
    ]
  })
  const hourOf = (instant: number): string => new Date(Math.floor(instant / HOUR_MS) * HOUR_MS).toISOString()
  return grouped(transcribed, ({ startedAt }) => hourOf(startedAt)).map(({ key: [hour = ''], all }) => ({
    hour: hour.slice(0, 19).replace('T', ' '),
    transcribed: all.length,
    work_seconds_a_minute: (60 * sum(all.map(({ worked }) => worked / 1000))) / sum(all.map(({ audio }) => audio)),
    median_waited_seconds: quantile(
      all.map(({ waited }) => waited / 1000),
      0.5,
    ),
  }))
}

const retries: Sums = (facts) => {
  const without = attemptsIn(facts).filter(
    ({ attempt, end }) => attempt.end.type !== 'at-work' && !resultTypes.some((type) => type === end?.type),
  )
  const causeOf = ({ attempt, end }: (typeof without)[number]): string => {
    if (isLost(attempt)) return 'lost'
    if (attempt.end.type === 'released') return 'released'
    return end?.type === 'StepFailed' || end?.type === 'JobFailed' ? end.data.code : ''
  }
  const usedBy = (end: StoredEvent | undefined) =>
    end?.type === 'StepFailed' || end?.type === 'JobFailed' ? end.data.used : null
  return grouped(without, ({ attempt }) => attempt.step, causeOf)
    .map(({ key: [step = '', cause = ''], all }) => ({
      ...{ step, cause, attempts: all.length, tried_again: all.filter(({ end }) => end?.type !== 'JobFailed').length },
      worked_seconds: sum(all.map(({ attempt }) => workedOn(attempt))) / 1000,
      audio_seconds: sum(all.map(({ end }) => usedBy(end)?.audioSeconds ?? 0)),
      tokens: sum(all.map(({ end }) => (usedBy(end)?.tokens.input ?? 0) + (usedBy(end)?.tokens.output ?? 0))),
    }))
    .sort(
      (one, other) =>
        byText(one.step, other.step) || other.worked_seconds - one.worked_seconds || byText(one.cause, other.cause),
    )
}

const idleKeys: Sums = ({ events, jobs, now }) => {
  const revoked = new Set(events.flatMap(({ type, stream }) => (type === 'KeyRevoked' ? [stream] : [])))
  const rows = events.flatMap((event) => {
    if (event.type !== 'KeyCreated' || revoked.has(event.stream)) return []
    const { data, recordedAt, metadata } = event
    if (data.expiresAt !== null && data.expiresAt <= now) return []
    const keyId = event.stream.slice('key-'.length)
    const uses = jobs.flatMap(({ debit }) => (debit.data.keyId === keyId ? [debit.recordedAt] : []))
    if (Math.max(recordedAt, ...uses) >= now - 30 * DAY_MS) return []
    const lastUsed = uses.length === 0 ? null : new Date(Math.max(...uses)).toISOString()
    return [
      {
        ...{ key_id: keyId, org_id: metadata.orgId },
        age_days: (Date.parse(dayOf(now)) - Date.parse(dayOf(recordedAt))) / DAY_MS,
        last_used_at: lastUsed?.replace('T', ' ').replace(/\.?0*Z$/, '') ?? null,
        ...{ jobs: uses.length, may_everything: data.scopes === null },
      },
    ]
  })
  return rows.sort((one, other) => other.age_days - one.age_days || byText(one.key_id, other.key_id))
}

/** In the order of questions 8 to 15. */
export const workSums: readonly Sums[] = [
  ...[refunds, failedPlatforms, captionsEnough, waits, longestWaits, slowSpeech, retries, idleKeys],
]
