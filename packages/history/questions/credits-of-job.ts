import type { Job } from '#packages/domain/job/state.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { secondsText } from './seconds-text.ts'

/** The cost of a job. Null: the debit was not found, or is not settled yet. */
export type CreditsOfJob = {
  taken: number | null
  charged: number | null
  refunded: number | null
  /** The part of the refund that expired at once, because it belonged to a month that had ended. */
  expired: number
  /** Milliseconds since 1970. */
  settledAt: number | null
}

/** @param events of a job, including those of its ledger */
export function creditsOfJob(events: readonly StoredEvent[]): CreditsOfJob {
  const debit = events.find((event) => event.type === 'CreditsDebited')
  const settled = events.find((event) => event.type === 'CreditsSettled')
  const renewed = events.find((event) => event.type === 'CreditsRenewed')
  return {
    taken: debit?.data.credits ?? null,
    charged: settled?.data.charged ?? null,
    refunded: settled?.data.refunded ?? null,
    expired: renewed?.data.expired ?? 0,
    settledAt: settled?.recordedAt ?? null,
  }
}

/** The charge and its reason. @param endedAt milliseconds since 1970 */
export function creditsSentences(
  credits: CreditsOfJob,
  job: Job,
  events: readonly StoredEvent[],
  endedAt: number,
): string[] {
  const { taken, charged, refunded, expired, settledAt } = credits
  if (taken === null) return ['No debit for it is in the ledger of its organization.']
  if (charged === null || refunded === null || settledAt === null) return [`${creditsText(taken)} are held for it.`]
  const when = `settled ${secondsText(Math.max(0, settledAt - endedAt))} after the end`
  const reason = job.status === 'failed' ? 'a failed job costs nothing' : priceOf(events)
  const back = refunded === 0 ? '' : `, ${refunded} came back`
  const settled = `Of ${creditsText(taken)} taken, ${charged} stayed${back}, because ${reason}; ${when}.`
  return expired === 0
    ? [settled]
    : [settled, `The refund was of a month that had ended: ${creditsText(expired)} expired at once.`]
}

function priceOf(events: readonly StoredEvent[]): string {
  const has = (type: StoredEvent['type']): boolean => events.some((event) => event.type === type)
  const completed = events.find((event) => event.type === 'JobCompleted')
  const cost = completed?.data.credits ?? 0
  if (has('ExtractionProduced')) return `an extraction costs ${cost}`
  return has('SpeechTranscribed') ? `a transcript of the sound costs ${cost}` : `captions cost ${cost}`
}

const creditsText = (credits: number): string => (credits === 1 ? '1 credit' : `${credits} credits`)
