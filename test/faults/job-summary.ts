import type { StoredEvent } from '#packages/ports/event-store.ts'

/** One event in a few words, for people. */
function wordsOf({ type, data }: StoredEvent): string {
  if (type === 'StepStarted') return `${type} ${data.step} ${data.attempt} by ${data.worker}`
  if (type === 'LeaseExtended') return `${type} ${data.step} ${data.attempt}`
  if (type === 'StepFailed') return `${type} ${data.step} ${data.attempt} ${data.code}`
  if (type === 'CaptionsUnavailable') return `${type} ${data.reason}`
  if (type === 'JobFailed') return `${type} ${data.code} (${data.message})`
  return type
}

/** A job's events in one line, each with the seconds since the first. */
export function summaryOf(events: readonly StoredEvent[]): string {
  const [first] = events
  if (first === undefined) return 'nothing was written'
  const began = new Date(first.recordedAt).toISOString().slice(11, 19)
  const parts = events.map((event) => `+${((event.recordedAt - first.recordedAt) / 1000).toFixed(1)} ${wordsOf(event)}`)
  return `${began} ${parts.join(', ')}`
}
