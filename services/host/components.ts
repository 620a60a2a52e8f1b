/**
 * The long-running components, by name. `serve.ts` runs all of them in one process, or a single one, on the same
 * adapters. The simulation gives each component its own adapters, which fail.
 */

import { MemoryOwnership } from '#packages/adapters/memory/ownership.ts'
import { perStep, type Step } from '#packages/domain/job/events.ts'
import type { FeedLag } from '#packages/events/store/feed-lag.ts'
import { projections } from '#packages/events/views/projections.ts'
import type { DropCached } from '#packages/history/removal/carry-out.ts'
import type { ForgetOrganizationPorts } from '#packages/history/removal/forget-organization.ts'
import {
  type AcceptanceResources,
  type AcceptanceSettings,
  createAcceptance,
} from '#packages/jobs/acceptance/create-acceptance.ts'
import type { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { Processor, type Processors } from '#packages/jobs/processing/processor.ts'
import type { StepWork } from '#packages/jobs/processing/step.ts'
import type { DateOf } from '#packages/platforms/sources/date-of.ts'
import type { ReadSource } from '#packages/platforms/sources/read-source.ts'
import type { Ownership } from '#packages/ports/ownership.ts'
import { BatchOwner, type BatchOwnerOptions } from '#services/batches/batch-owner.ts'
import { Orchestrator, type OrchestratorPorts } from '#services/orchestrator/orchestrator.ts'
import { SlotShares } from '#services/orchestrator/slot-shares.ts'
import { ViewsOwner } from '#services/projections/views-owner.ts'
import { Retention } from '#services/retention/retention.ts'
import { WatchOwner, type WatchOwnerParts } from '#services/watches/watch-owner.ts'
import { Deliverer, type DelivererOptions } from '#services/webhooks/deliverer.ts'
import type { Runnable } from './run-together.ts'

/** Each elects the owner among the processes of one component; `ownership`: of the orchestrator. Missing: there is one. */
type Ownerships = {
  [N in 'ownership' | `${'views' | 'webhooks' | 'batches' | 'watches'}Ownership`]?: Ownership | undefined
}

export type ComponentPorts = Omit<OrchestratorPorts, 'ownership'> &
  Ownerships & {
    /** Shared by the processors and the ingress of this process. */
    attempts: AttemptsUnderWay
    /** The processors of this process: a job stays here if one of them serves its next step. */
    processors: Processors
  }

export type ComponentOptions = {
  /** The steps that this process serves, with their work. */
  works: Partial<Record<Step, StepWork>>
  /** How many steps of each kind one process works on at once. */
  slots: Record<Step, number>
  /** The worker's name in StepStarted, for operators. */
  worker: string
  leaseSeconds: number
  /** The window of a job, seconds. */
  windowSeconds: number
  /** True if this is the only process: claims from before its start have no worker any more. */
  releaseClaimsAtStart: boolean
  /** True if a metric names the busiest organizations. */
  tellsBusiest?: boolean | undefined
  /** Drops what was cached for a URL, as far as this process can reach it. */
  dropCached: DropCached
  /** How to reach webhooks; only in a process that delivers to them. */
  webhooks?: DelivererOptions | undefined
  /** How batches proceed; only in a process that moves them forward. */
  batches?: BatchesOptions | undefined
  /** How sources are watched; only in a process that watches them. */
  watches?: WatchesOptions | undefined
  /** The streams of an organization's jobs and keys in the archive. Missing: there is no archive. */
  archived?: ForgetOrganizationPorts['archived']
}

/** `acceptance`: settings for accepting the jobs of batches. `pace`: only in a process that fetches videos. */
export type BatchesOptions = BatchOwnerOptions & {
  readSource: ReadSource
  dateOf: DateOf
  acceptance: AcceptanceSettings
  pace?: AcceptanceResources['pace']
}

/** `acceptance`, `pace`: as for batches. */
export type WatchesOptions = Omit<WatchOwnerParts, 'acceptance'> & Pick<BatchesOptions, 'acceptance' | 'pace'>

/**
 * `ready` resolves when the component has reached the end of the feed for the first time; `lag` is how far behind it
 * is.
 */
export type Component = Runnable & { ready?: Promise<void>; lag?: FeedLag }

type Make = (ports: ComponentPorts, options: ComponentOptions) => Component

const processor =
  (step: Step): Make =>
  (ports, { works, slots, worker, leaseSeconds }) => {
    const lease = { leaseSeconds, extendEverySeconds: leaseSeconds / 3 }
    const work = works[step]
    if (work === undefined) throw new Error(`nothing here works on ${step}`)
    return new Processor(ports, { step, slots: slots[step], worker, ...lease }, work)
  }

export const components = {
  orchestrator: ({ ownership = new MemoryOwnership(), ...ports }, { slots, ...options }) => {
    const { windowSeconds, releaseClaimsAtStart, tellsBusiest } = options
    const own = { windowSeconds, releaseClaimsAtStart, tellsBusiest, slots: new SlotShares(slots) }
    return new Orchestrator({ ...ports, ownership }, own)
  },
  projections: ({ viewsOwnership: ownership = new MemoryOwnership(), ...ports }) =>
    new ViewsOwner({ ...ports, ownership }, projections),
  retention: (ports, { dropCached, archived }) =>
    new Retention({ ...ports, dropCached, ...(archived && { archived }) }),
  webhooks: ({ webhooksOwnership: ownership = new MemoryOwnership(), ...ports }, { webhooks }) => {
    if (webhooks === undefined) throw new Error('nothing here reaches webhooks')
    return new Deliverer({ ...ports, ownership }, webhooks)
  },
  batches: ({ batchesOwnership: ownership = new MemoryOwnership(), ...ports }, { batches }) => {
    if (batches === undefined) throw new Error('nothing here says how batches proceed')
    const { acceptance, pace, readSource, dateOf, ...options } = batches
    const parts = { ...createAcceptance({ ...ports, pace }, acceptance), readSource, dateOf }
    return new BatchOwner({ ...ports, ownership }, parts, options)
  },
  watches: ({ watchesOwnership: ownership = new MemoryOwnership(), ...ports }, { watches }) => {
    if (watches === undefined) throw new Error('nothing here reads sources')
    const { acceptance: settings, pace, ...parts } = watches
    const { acceptance } = createAcceptance({ ...ports, pace }, settings)
    return new WatchOwner({ ...ports, ownership }, { ...parts, acceptance })
  },
  ...perStep(processor),
} satisfies Record<string, Make>
