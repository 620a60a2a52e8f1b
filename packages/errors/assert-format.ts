import { ServiceError } from './service-error.ts'

/**
 * Call it before anything is accepted that only a newer format of the events can hold (`packages/events/needed-format.ts`).
 * @throws ServiceError unavailable: events are written in an older format (`EVENTS_FORMAT`), and would lose it
 */
export function assertFormat(written: number, needed: number): void {
  if (written >= needed) return
  throw new ServiceError(
    'unavailable',
    'What was asked for cannot be stored yet: the operator of this service has not finished an upgrade (EVENTS_FORMAT).',
  )
}
