/**
 * The components that run as long as the service does, by name. `serve.ts` runs all of them in one process, or one of
 * them, on the same adapters. The simulation gives each component its own adapters, which fail.
 */

import { MemoryOwnership } from '#packages/adapters/memory/ownership.ts'
import { perStep, type Step } from '#packages/domain/job/events.ts'
import type { FeedLag } from '#packages/event-store/feed-lag.ts'
import type { Ledgers } from '#packages/ledger/ledgers.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Ownership } from '#packages/ports/ownership.ts'
import type { Views } from '#packages/ports/views.ts'
import type { WorkQueue } from '#packages/ports/work-queue.ts'
import type { AttemptsUnderWay } from '#packages/processing/attempts-under-way.ts'
import { Processor, type Processors } from '#packages/processing/processor.ts'
import type { StepWork } from '#packages/processing/step.ts'
import type { DropCached } from '#packages/removal/carry-out.ts'
import type { ForgetOrganizationPorts } from '#packages/removal/forget-organization.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { projections } from '#packages/views/projections.ts'
import { Orchestrator } from '#services/orchestrator/orchestrator.ts'
import { SlotShares } from '#services/orchestrator/slot-shares.ts'
import { ViewsOwner } from '#services/projections/views-owner.ts'
import { Retention } from '#services/retention/retention.ts'
import type { AttemptsOptions } from '#services/webhooks/attempts.ts'
import { Deliverer } from '#services/webhooks/deliverer.ts'
import type { Runnable } from './run-together.ts'

export type ComponentPorts = {
  store: EventStore
  views: Views
  queue: WorkQueue
  /** Elects the owner among the orchestrators; missing: there is one alone. */
  ownership?: Ownership | undefined
  /** Likewise among the processes that keep the views. */
  viewsOwnership?: Ownership | undefined
  /** Likewise among those that deliver to webhooks. */
  webhooksOwnership?: Ownership | undefined
  ledgers: Ledgers
  clock: Clock
  ids: Ids
  log: Logger
  telemetry: Telemetry
  /** Of this process, shared by its processors and its ingress. */
  attempts: AttemptsUnderWay
  /** Of this process: a job stays where the next step is served too. */
  processors: Processors
}

export type ComponentOptions = {
  /** The work of each step that this process does. */
  works: Partial<Record<Step, StepWork>>
  /** Steps of each kind that one process works on at once. */
  slots: Record<Step, number>
  /** The name of the worker in StepStarted, for operators. */
  worker: string
  leaseSeconds: number
  /** The window of a job. */
  windowSeconds: number
  /** True where only one process runs: claims that exist at its start have no worker any more. */
  releaseClaimsAtStart: boolean
  /** Drops what this process can reach of what was cached for a URL. */
  dropCached: DropCached
  /** How webhooks are reached, where this process delivers to them. */
  webhooks?: AttemptsOptions | undefined
  /** The streams of an organization's jobs and keys in the archive; missing: there is none. */
  archived?: ForgetOrganizationPorts['archived']
}

/** `ready` resolves when it has caught up with the feed for the first time; `lag` tells how far behind it is. */
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
  orchestrator: ({ ownership = new MemoryOwnership(), ...ports }, { slots, windowSeconds, releaseClaimsAtStart }) =>
    new Orchestrator({ ...ports, ownership }, { slots: new SlotShares(slots), windowSeconds, releaseClaimsAtStart }),
  projections: ({ viewsOwnership: ownership = new MemoryOwnership(), ...ports }) =>
    new ViewsOwner({ ...ports, ownership }, projections),
  retention: (ports, { dropCached, archived }) =>
    new Retention({ ...ports, dropCached, ...(archived && { archived }) }),
  webhooks: ({ webhooksOwnership: ownership = new MemoryOwnership(), ...ports }, { webhooks }) => {
    if (webhooks === undefined) throw new Error('nothing here reaches webhooks')
    return new Deliverer({ ...ports, ownership }, webhooks)
  },
  ...perStep(processor),
} satisfies Record<string, Make>
