import { type Evolution, fold } from '#packages/event-sourcing/decider.ts'

/** Makes the state after past events, which were recorded at 1, 2, 3 …, or at the instants of `at`. */
export const givenTo =
  <State, Event extends { type: string }>(decider: Evolution<State, Event>, at = (index: number) => index + 1) =>
  (...events: Event[]): State =>
    fold(
      decider,
      events.map((event, index) => ({ ...event, recordedAt: at(index) })),
    )
