import type { Platforms } from '#packages/platforms/create-platforms.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { Acceptance, type AcceptanceOptions, type AcceptancePorts } from './acceptance.ts'
import { type CapOptions, DailyCaps } from './daily-caps.ts'
import { LaneAdmission } from './lane-admission.ts'
import { OwnerNote } from './owner-note.ts'
import { PaceAdmission } from './pace-admission.ts'

export type AcceptanceResources = Pick<AcceptancePorts, 'store' | 'ledgers' | 'clock' | 'ids' | 'telemetry'> & {
  views: ConstructorParameters<typeof OwnerNote>[0]['views']
  /** Knows how long jobs wait for the pace of their platform. Missing: other processes fetch their videos. */
  pace?: Pick<Platforms, 'paceWaitSeconds'> | undefined
  log: Logger
}

/** `staleAfterMs`: how long the note of the owner and the usage of a day may be cached, milliseconds. */
export type AcceptanceSettings = AcceptanceOptions & CapOptions & { staleAfterMs: number }

/** Creates the acceptance of jobs, with its limits. */
export function createAcceptance(resources: AcceptanceResources, options: AcceptanceSettings) {
  const { store, views, ledgers, clock, ids, telemetry } = resources
  const note = new OwnerNote(resources, options)
  const admission = new LaneAdmission({ note, clock }, options)
  const pace = new PaceAdmission({ note, platforms: resources.pace, clock, telemetry }, options)
  const caps = new DailyCaps(resources, options)
  const acceptance = new Acceptance({ store, views, ledgers, clock, ids, admission, pace, caps, telemetry }, options)
  return { acceptance, note, admission, pace, caps }
}
