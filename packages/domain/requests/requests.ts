import type { EventData } from '#contracts/generated/events.ts'
import type { Decider } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'

/** Free reads by route, and refused requests by code. */
export type Counts = Pick<EventData['RequestsCounted'], 'reads' | 'refused'>

/** `now`: the time of the decision, milliseconds since 1970. */
export type RequestsCommand = { type: 'count'; counts: Counts; now: number }

/** `hour`: of the last count; empty before the first. */
export type Requests = { hour: string }

const hourOf = (instant: number): string => new Date(instant).toISOString().slice(0, 'YYYY-MM-DDTHH'.length)

/** Counts an organization's requests other than jobs. There is at most one event per hour, whichever process counts. */
export const requests: Decider<Requests, RequestsCommand, DomainEvent<'RequestsCounted'>> = {
  eventTypes: ['RequestsCounted'],
  initialState: { hour: '' },

  evolve: (state, { data: { hour } }) => (hour > state.hour ? { hour } : state),

  decide({ counts, now }, state) {
    const hour = hourOf(now)
    return hour > state.hour ? [{ type: 'RequestsCounted', data: { hour, ...counts } }] : []
  },
}
