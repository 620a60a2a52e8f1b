import type { StoredEvent } from '#packages/ports/event-store.ts'
import { eventIdOfJson } from '#packages/ports/ids.ts'
import type { Check } from './check.ts'
import { Verdict } from './outcome.ts'

/** The most events in one append before a renewal in the same append. */
const MOST_IN_AN_APPEND = 100

/** Two claims, two extensions of a lease and two adjustments are never the same: their ids are fresh. */
const hasFreshId = ({ type, data }: StoredEvent): boolean =>
  type === 'StepStarted' || type === 'LeaseExtended' || (type === 'CreditsGranted' && data.reason === 'adjustment')

/** The name that the event's writer has given to its step. @param index of a renewal in its append */
function stepOf({ type, stream, data, metadata }: StoredEvent, index: number): string {
  if (type === 'CreditsRenewed') return `${type}/${metadata.correlationId}/${index}`
  if (type === 'StreamsRemoved') return `${type}/${data.streams[0]}`
  if (!stream.startsWith('job-')) return type
  // A worker names its task, job/revision/step/attempt, the orchestrator itself, and a request its id.
  const [first, , step, attempt] = metadata.causationId.split('/')
  if (attempt !== undefined) return `${step}/${attempt}/${type}`
  return first === 'orchestrator' ? `${first}/${type}` : type
}

/** @param json of its data */
function hasItsId(event: StoredEvent, json: string): boolean {
  const places = event.type === 'CreditsRenewed' ? MOST_IN_AN_APPEND : 1
  for (let index = 0; index < places; index++)
    if (eventIdOfJson(event.stream, stepOf(event, index), json) === event.id) return true
  return false
}

/**
 * An event's id is derived from its stream, its step and its data. So an event with changed data has a wrong id.
 * @param isWhole whether events of a type have all their data: archives leave out texts and addresses
 * @param jsonOf the stored JSON of an event's data, if available. For an event of an older version it is another text
 */
export function ids(
  isWhole: (type: StoredEvent['type']) => boolean,
  jsonOf: (event: StoredEvent) => string | undefined,
): Check {
  const verdict = new Verdict('', 'an event holds what was written: its id follows from it')

  function holds(event: StoredEvent): boolean {
    const stored = jsonOf(event)
    if (stored !== undefined && hasItsId(event, stored)) return true
    return hasItsId(event, JSON.stringify(event.data))
  }

  return {
    verdict,
    onEvent(event) {
      if (hasFreshId(event)) return
      if (!isWhole(event.type)) {
        verdict.left('events without their content')
        return
      }
      verdict.checked()
      if (!holds(event)) verdict.broken(event, 'its id is that of other data')
    },
  }
}
