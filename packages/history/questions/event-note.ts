import type { ReadFrom } from '#packages/domain/job/events.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'

const count = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? '' : 's'}`

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, each) => sum + each, 0)

const listOf = (scopes: readonly string[] | null): string => scopes?.join(', ') ?? 'all scopes'

/** How a platform was read, if there are several ways. */
const by = (way: string | undefined): string => (way === undefined ? '' : `, by ${way}`)

/** What a job begins with: its window, or a reused result. */
const beginningOf = ({ windowSeconds, reused }: DomainEvent<'JobRequested'>['data']): string =>
  reused === null ? `within ${windowSeconds} s` : `with the result of ${reused}`

/** Where an attempt has read. */
const from = (readFrom: ReadFrom | undefined): string =>
  readFrom === undefined ? '' : `, from ${readFrom.domain} by ${readFrom.exit}`

/** An event in a few words, for analysts and operators. It may contain text of strangers. */
export function noteOf({ type, data }: DomainEvent): string {
  switch (type) {
    case 'OrganizationRegistered':
    case 'OrganizationRenamed':
      return data.name
    case 'KeyCreated':
      return `${data.name}: ${listOf(data.scopes)}`
    case 'KeyChanged':
      return `${data.name}: ${data.monthlyCredits ?? 'any'} credits a month`
    case 'KeyRevoked':
      return 'never accepted again'
    case 'CreditsGranted':
      return `${count(data.credits, 'credit')} given, ${data.reason.replace('_', '-')}, by ${data.by}`
    case 'PlanChanged':
      return `plan ${data.plan}, by ${data.by}`
    case 'CreditsRenewed':
      return `${count(data.credits, 'credit')} given for ${data.period}, ${data.expired} expired`
    case 'CreditsDebited':
      return `${count(data.credits, 'credit')} taken`
    case 'CreditsSettled':
      return `${data.charged} charged, ${data.refunded} refunded`
    case 'CreditsHeld':
      return `${count(data.credits, 'credit')} set aside`
    case 'CreditsReleased':
      return `${count(data.credits, 'credit')} given back`
    case 'CreditsStated':
      return `balance ${data.balance}, ${count(data.openDebits.length, 'open debit')}`
    case 'JobRequested':
      return `${data.kind}, ${data.mode ?? 'whole video'}, ${beginningOf(data)}, by ${data.surface}`
    case 'BatchRequested':
      return `${data.request.kind}, ${data.limit} at most, ${data.held} credits, by ${data.surface}`
    case 'BatchItemsAdded':
      return count(data.items.length, 'item')
    case 'BatchItemsBegun':
      return `${count(data.items.length, 'item')} begun`
    case 'BatchItemsEnded':
      return `${count(data.items.length, 'item')} ended`
    case 'BatchCancelled':
      return data.reason
    case 'WatchCreated':
      return `every ${data.everySeconds} s${data.request === null ? '' : `, then ${data.request.kind}`}`
    case 'WatchLooked':
      return data.failure ?? `${count(data.found.length, 'new video')}, ${data.seen.length} others`
    case 'WatchJobsBegun':
      return count(data.jobs.length, 'job')
    case 'WatchChanged':
      return `every ${data.everySeconds} s`
    case 'WatchPaused':
      return data.reason
    case 'WatchResumed':
      return 'looks again'
    case 'WatchRemoved':
      return 'never looks again'
    case 'BatchEnded':
      return `${data.reason}: ${data.completed} completed, ${data.failed} failed, ${data.charged} charged`
    case 'StepStarted':
      return `${data.step}, attempt ${data.attempt}`
    case 'LeaseExtended':
      return `${data.step}: at work for ${data.leaseSeconds} s more`
    case 'StepFailed':
      return `${data.step}: ${data.code}, again in ${data.retryAfterSeconds} s${from(data.readFrom)}`
    case 'VideoFetched':
      return `${data.durationSeconds?.toFixed(1) ?? '?'} s of ${data.formats[0]?.container ?? 'media'}${by(data.way)}${from(data.readFrom)}`
    case 'CaptionsRead':
      return `${count(data.segments.length, 'segment')} of ${data.source} captions${by(data.way)}${from(data.readFrom)}`
    case 'CaptionsUnavailable':
      return `${data.reason}${from(data.readFrom)}`
    case 'SpeechTranscribed':
      return `${count(data.segments.length, 'segment')} by ${data.engine}${from(data.readFrom)}`
    case 'ExtractionProduced':
      return `${count(data.rounds, 'round')} of ${data.model}, ${data.tokens.input + data.tokens.output} tokens`
    case 'JobCompleted':
      return `${count(data.credits, 'credit')} earned`
    case 'JobFailed':
      return `${data.code}${from(data.readFrom)}`
    case 'RequestsCounted':
      return `${count(sumOf(data.reads), 'free read')}, ${sumOf(data.refused)} refused, until ${data.hour}`
    case 'StreamsRemoved':
      return `${count(data.streams.length, 'stream')} removed, ${data.reason}`
    case 'WebhookCreated':
    case 'WebhookChanged':
      return `${data.host}: ${data.events.join(', ') || 'jobs that name it'}`
    case 'WebhookSwitchedOff':
      return data.reason
    case 'WebhookSwitchedOn':
      return 'receives events from now on'
    case 'WebhookReplayAsked':
      return `of the last ${Math.round(data.sinceSeconds)} s`
    case 'WebhookRemoved':
      return 'receives no more events'
    case 'DeliveryRequested':
      return `${data.type} to webhook ${data.webhookId}`
    case 'DeliveryRepeated':
      return 'once more'
    case 'DeliveryAttempted':
      return `attempt ${data.attempt}: ${data.status ?? data.failure} after ${data.milliseconds} ms`
    case 'DeliveryEnded':
      return data.outcome
  }
}
