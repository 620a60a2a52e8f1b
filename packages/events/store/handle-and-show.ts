import type { Decider } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type EventStore, RevisionConflictError } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import { isAnswer } from './append-until-answered.ts'
import { type Handling, handleCommand } from './handle-command.ts'

/** How long an append is retried, milliseconds. */
const GIVE_UP_AFTER_MS = 5000

/** How long a change waits until the views show it, milliseconds. */
export const SHOWN_WITHIN_MS = 2000

type Ports = { store: EventStore; views: Views; clock: Clock; ids: Ids }

/**
 * Carries out a caller's command on one stream, and waits until the views show it.
 * @param place where the caller can look, such as `the watch`
 * @throws as `handleCommand` and `unknownOutcome`
 */
export async function handleAndShow<State, Command, Event extends DomainEvent>(
  ports: Ports,
  decider: Decider<State, Command, Event>,
  handling: Omit<Handling<Command>, 'giveUpAt'>,
  place: string,
): Promise<void> {
  const giveUpAt = ports.clock.now() + GIVE_UP_AFTER_MS
  const { position } = await handleCommand(ports, decider, { ...handling, giveUpAt }).catch(unknownOutcome(place))
  await ports.views.waitForApplied(position, SHOWN_WITHIN_MS)
}

/**
 * For the error of a caller's command. If the store did not answer in time, for example on a full disk, it is unknown
 * whether the change was stored.
 * @throws ServiceError unavailable; any other error unchanged
 */
export const unknownOutcome =
  (place: string) =>
  (error: unknown): never => {
    if (error instanceof ServiceError || (isAnswer(error) && !(error instanceof RevisionConflictError))) throw error
    const message = `The change could not be written down in time; look at ${place} before you try again.`
    throw new ServiceError('unavailable', message, { retryAfterSeconds: 1, cause: error })
  }
