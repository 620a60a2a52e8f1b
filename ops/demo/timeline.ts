import type { StoredEvent } from '#packages/ports/event-store.ts'

const noteOf = (event: StoredEvent): string => {
  switch (event.type) {
    case 'CreditsDebited':
      return `${event.data.credits} credits taken`
    case 'JobRequested':
      return `${event.data.kind}, ${event.data.mode ?? 'whole video'}, within ${event.data.windowSeconds} s`
    case 'StepStarted':
      return `${event.data.step}, attempt ${event.data.attempt}`
    case 'LeaseExtended':
      return `${event.data.step}: at work for ${event.data.leaseSeconds} s more`
    case 'StepFailed':
      return `${event.data.step}: ${event.data.code}, again in ${event.data.retryAfterSeconds} s`
    case 'VideoFetched':
      return `${event.data.durationSeconds?.toFixed(1) ?? '?'} s of ${event.data.formats[0]?.container ?? 'media'}`
    case 'CaptionsRead':
      return `${event.data.segments.length} segments of ${event.data.source} captions`
    case 'CaptionsUnavailable':
      return event.data.reason
    case 'SpeechTranscribed':
      return `${event.data.segments.length} segments by ${event.data.engine}`
    case 'JobCompleted':
      return `${event.data.credits} credits earned`
    case 'JobFailed':
      return event.data.code
    case 'CreditsSettled':
      return `${event.data.charged} charged, ${event.data.refunded} refunded`
    default:
      return ''
  }
}

/** A job's events, of its own stream and its organization's ledger, as lines: time since the first, stream, what. */
export function timelineOf(events: readonly StoredEvent[]): string[] {
  const ordered = [...events].sort((a, b) => a.position - b.position)
  const start = ordered[0]?.recordedAt ?? 0
  return ordered.map((event) => {
    const time = `+${((event.recordedAt - start) / 1000).toFixed(3)} s`
    const stream = event.stream.split('-')[0] ?? ''
    return `${time.padStart(10)}  ${stream.padEnd(7)}  ${event.type.padEnd(17)}  ${noteOf(event)}`.trimEnd()
  })
}

/** What a job is waiting for, in a word or two. */
export function progressOf(events: readonly StoredEvent[]): string {
  const last = events.findLast(({ type }) => type !== 'LeaseExtended')
  if (last?.type === 'StepStarted') return last.data.step
  if (last?.type === 'JobCompleted' || last?.type === 'JobFailed') return 'settling'
  return 'waiting for a step to start'
}
