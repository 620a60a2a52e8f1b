import type { EventData } from '#contracts/generated/events.ts'
import type { CreditsCommand } from '#packages/domain/credits/credits.ts'
import { RELEASED, type StepResult } from '#packages/domain/job/events.ts'
import { failureCodeOf } from '#packages/domain/job/failure.ts'
import { type JobCommand, NOT_ACCEPTED_AFTER_MS } from '#packages/domain/job/job.ts'
import { debitOf } from '#packages/domain/job/price.ts'
import { type KeyCommand, operator } from '#packages/domain/key/key.ts'
import type { OrganizationCommand } from '#packages/domain/organization/organization.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'

/**
 * The commands that led to events, as far as events tell. An event that another event of the same decision stands for
 * has none, nor has one whose command said more than was stored.
 */
export const recordedCommands = {
  /** The delay and the chance of a retry are not stored: StepFailed has no command unless it is a release. */
  job(event: StoredEvent): JobCommand | undefined {
    const now = event.recordedAt
    switch (event.type) {
      case 'JobRequested':
        return { type: 'request', request: event.data }
      case 'StepStarted':
        return { type: 'start', ...event.data }
      case 'LeaseExtended':
        return { type: 'extend', leaseSeconds: event.data.leaseSeconds }
      case 'StepFailed':
        return event.data.code === RELEASED ? { type: 'release' } : undefined
      case 'VideoFetched':
      case 'CaptionsRead':
      case 'CaptionsUnavailable':
      case 'SpeechTranscribed':
      case 'ExtractionProduced':
        return { type: 'record-result', result: { type: event.type, data: event.data } as StepResult, now }
      case 'JobFailed':
        return endOf(event.data, now)
      default:
        return undefined
    }
  },

  credits(event: StoredEvent): (CreditsCommand & { now: number }) | undefined {
    const now = event.recordedAt
    switch (event.type) {
      case 'CreditsGranted':
        return event.data.reason === 'sign_up'
          ? { type: 'register', now }
          : { type: 'grant', credits: event.data.credits, now }
      case 'PlanChanged':
        return { type: 'change-plan', plan: event.data.plan, now }
      case 'CreditsDebited':
        return debitCommand(event.data, now)
      case 'CreditsSettled': {
        const { jobId, charged, reason } = event.data
        return { type: 'settle', jobId, charged, reason, now }
      }
      default:
        return undefined
    }
  },

  /** What the key that made or revoked it was allowed is not stored: everything. */
  key(event: StoredEvent): KeyCommand | undefined {
    if (event.type === 'KeyCreated') {
      const { createdBy, ...key } = event.data
      return { type: 'create', key, by: { ...operator, keyId: createdBy } }
    }
    if (event.type !== 'KeyRevoked') return undefined
    return { type: 'revoke', orgId: event.data.orgId, keyId: event.stream.slice('key-'.length), by: operator }
  },

  organization(event: StoredEvent): OrganizationCommand | undefined {
    return event.type === 'OrganizationRegistered' ? { type: 'register', name: event.data.name } : undefined
  },
} as const

/** The monthly credits of the key are not stored: none. */
function debitCommand(data: EventData['CreditsDebited'], now: number): CreditsCommand & { now: number } {
  const { jobId, requestHash, operation, mode, platform, keyId } = data
  // Where the mode is not known, the price is what was taken.
  const isKnown = operation === 'extraction' || mode !== null
  const { full, least } = isKnown ? debitOf({ kind: operation, mode }) : { full: data.credits, least: data.credits }
  const purpose = { operation, mode, platform, keyId }
  return { type: 'debit', jobId, full, least, requestHash, purpose, monthlyCredits: null, now }
}

/** A job that failed with its last result has that result's command already. */
function endOf({ orgId, kind, code, used }: EventData['JobFailed'], now: number): JobCommand | undefined {
  switch (failureCodeOf(code)) {
    case 'not_accepted':
      return { type: 'refuse', orgId, kind, debitedAt: now - NOT_ACCEPTED_AFTER_MS, now }
    case 'cancelled':
      return { type: 'cancel' }
    case 'timeout':
      return { type: 'give-up', now }
    case 'result_too_large':
      return used === null ? undefined : { type: 'discard-result', used }
    default:
      return undefined
  }
}
