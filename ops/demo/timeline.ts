import { noteOf } from '#packages/history/event-note.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'

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
