import { randomUUID } from 'node:crypto'
import type { NewEvent } from '#packages/ports/event-store.ts'
import { metadata } from '#packages/ports/event-store-samples.contract.ts'
import { type EventCatalog, releasedEvents, type Validator } from './catalog.ts'
import { laterVersion } from './versions.ts'

type Data1 = { smell: string }
type Data2 = { smell: string; strength: number | null }
type Data3 = { smells: { name: string; strength: number | null }[] }

/** Made up, because no event has a later version yet. Versions 2 and 3 of this one came with the formats 2 and 4. */
export const later = [
  laterVersion<Data1, Data2>(2, {
    upcast: (before) => ({ ...before, strength: null }),
    downcast: ({ strength, ...before }) => before,
  }),
  laterVersion<Data2, Data3>(4, {
    upcast: ({ smell: name, strength }) => ({ smells: [{ name, strength }] }),
    downcast: ({ smells: [one] }) => ({ smell: one?.name ?? '', strength: one?.strength ?? null }),
  }),
]

const hasFields =
  (...fields: string[]): Validator =>
  (data) =>
    Object.keys(data as object).join() === fields.join()
export const validators = [hasFields('smell'), hasFields('smell', 'strength'), hasFields('smells')]

/** The catalogue of a release that knows this many versions of the event. */
export const knowing = (versions: number): EventCatalog => ({
  metadata: releasedEvents.metadata,
  kinds: new Map([
    ['VideoSmelled', { validators: validators.slice(0, versions), later: later.slice(0, versions - 1) }],
  ]),
})

export const made = (data: object): NewEvent =>
  ({ id: randomUUID(), type: 'VideoSmelled', data, metadata }) as unknown as NewEvent
