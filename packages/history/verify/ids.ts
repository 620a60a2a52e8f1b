import { isDeepStrictEqual } from 'node:util'
import type { EventData } from '#contracts/generated/events.ts'
import { laterVersions } from '#packages/events/versions.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { eventId } from '#packages/ports/ids.ts'
import type { Check } from './check.ts'
import { Verdict } from './outcome.ts'

/** The most events of one append before a renewal in it. */
const MOST_IN_AN_APPEND = 100

/** Two claims, two extensions of a lease and two adjustments are never the same: their ids are fresh. */
const hasFreshId = ({ type, data }: StoredEvent): boolean =>
  type === 'StepStarted' || type === 'LeaseExtended' || (type === 'CreditsGranted' && data.reason === 'adjustment')

/** The name of the step that the writer of an event has given it. @param index of a renewal in its append */
function stepOf({ type, stream, data, metadata }: StoredEvent, index: number): string {
  if (type === 'CreditsRenewed') return `${type}/${metadata.correlationId}/${index}`
  if (type === 'StreamsRemoved') return `${type}/${data.streams[0]}`
  if (!stream.startsWith('job-')) return type
  // A worker names its task, job/revision/step/attempt, the orchestrator itself, and a request its id.
  const [first, , step, attempt] = metadata.causationId.split('/')
  if (attempt !== undefined) return `${step}/${attempt}/${type}`
  return first === 'orchestrator' ? `${first}/${type}` : type
}

/** What an older format may have made this of: it has moved the source to the end, and does not know `translated`. */
function asBefore({ source, ...others }: EventData['CaptionsRead']): object[] {
  const fields = Object.entries(others)
  return [source, 'translated'].flatMap((was) =>
    [...fields.keys()].map((at) => Object.fromEntries(fields.toSpliced(at, 0, ['source', was]))),
  )
}

/**
 * The id of an event follows from its stream, its step and its data: data that was changed has another id. An event that
 * was written in an older version may have lost what its id was made of: then the id tells nothing.
 * @param isWhole whether events of a type have all that was written; archives leave texts and addresses out
 */
export function ids(isWhole: (type: StoredEvent['type']) => boolean): Check {
  const verdict = new Verdict('', 'an event holds what was written: its id follows from it')

  function isOf(event: StoredEvent, data: unknown): boolean {
    const places = event.type === 'CreditsRenewed' ? MOST_IN_AN_APPEND : 1
    for (let index = 0; index < places; index++)
      if (eventId(event.stream, stepOf(event, index), data) === event.id) return true
    return false
  }

  /** Whether an older version of the event has this id, or may have. Undefined: it may, and cannot be told. */
  function isOlder(event: StoredEvent): boolean | undefined {
    const later = laterVersions[event.type] ?? []
    let data: unknown = event.data
    for (const { downcast, upcast } of later.toReversed()) {
      const before = downcast(data)
      if (!isDeepStrictEqual(upcast(before), data)) return false
      if (isOf(event, before)) return true
      data = before
    }
    if (event.type === 'CaptionsRead') return asBefore(event.data).some((data) => isOf(event, data))
    return later.length > 0 ? undefined : false
  }

  return {
    verdict,
    onEvent(event) {
      if (hasFreshId(event)) return
      if (!isWhole(event.type)) {
        verdict.left('events without their content')
        return
      }
      if (isOf(event, event.data)) return verdict.checked()
      const isRight = isOlder(event)
      if (isRight === undefined) return verdict.left('events of an older format')
      verdict.checked()
      if (!isRight) verdict.broken(event, 'its id is that of other data')
    },
  }
}
