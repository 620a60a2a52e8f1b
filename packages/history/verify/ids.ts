import type { StoredEvent } from '#packages/ports/event-store.ts'
import { eventId } from '#packages/ports/ids.ts'
import type { Check } from './check.ts'
import { Verdict } from './outcome.ts'

/** The most events before a renewal in one append. */
const MOST_IN_AN_APPEND = 100

/** Two claims, two extensions of a lease or two adjustments are never the same, so they have fresh ids. */
const hasFreshId = ({ type, data }: StoredEvent): boolean =>
  type === 'StepStarted' || type === 'LeaseExtended' || (type === 'CreditsGranted' && data.reason === 'adjustment')

/** The step name that the writer used for an event's id. @param index of a renewal in its append */
function stepOf({ type, stream, data, metadata }: StoredEvent, index: number): string {
  if (type === 'CreditsRenewed') return `${type}/${metadata.correlationId}/${index}`
  if (type === 'StreamsRemoved') return `${type}/${data.streams[0]}`
  if (!stream.startsWith('job-')) return type
  // The cause is a task (job/revision/step/attempt) for a worker, its own name for the orchestrator, and an id for a
  // request.
  const [first, , step, attempt] = metadata.causationId.split('/')
  if (attempt !== undefined) return `${step}/${attempt}/${type}`
  return first === 'orchestrator' ? `${first}/${type}` : type
}

function hasItsId(event: StoredEvent): boolean {
  const places = event.type === 'CreditsRenewed' ? MOST_IN_AN_APPEND : 1
  for (let index = 0; index < places; index++)
    if (eventId(event.stream, stepOf(event, index), event.data) === event.id) return true
  return false
}

/**
 * The id of an event is derived from its stream, its step and its data, so changed data has another id.
 * @param isWhole true if events of a type have all their data; archives leave out texts and addresses
 */
export function ids(isWhole: (type: StoredEvent['type']) => boolean): Check {
  const verdict = new Verdict('', 'an event holds what was written: its id follows from it')

  return {
    verdict,
    onEvent(event) {
      if (hasFreshId(event)) return
      if (!isWhole(event.type)) {
        verdict.left('events without their content')
        return
      }
      verdict.checked()
      if (!hasItsId(event)) verdict.broken(event, 'its id is that of other data')
    },
  }
}
