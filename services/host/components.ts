/**
 * What runs as long as the service does, by name. `serve.ts` gives what runs in one process the same adapters: all of it,
 * or one alone; the simulation gives each its own, which fail.
 */

import type { Step } from '#packages/domain/job/events.ts'
import type { Following } from '#packages/event-sourcing/following.ts'
import type { Ledgers } from '#packages/ledger/ledgers.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import type { WorkQueue } from '#packages/ports/work-queue.ts'
import { Processor } from '#packages/processing/processor.ts'
import type { StepWork } from '#packages/processing/step.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { projections } from '#packages/views/projections.ts'
import type { Shares } from '#services/orchestrator/backlog.ts'
import { Orchestrator } from '#services/orchestrator/orchestrator.ts'
import { Projector } from '#services/projections/projector.ts'
import type { Runnable } from './run-together.ts'

export type ComponentPorts = {
  store: EventStore
  views: Views
  queue: WorkQueue
  ledgers: Ledgers
  clock: Clock
  ids: Ids
  log: Logger
}

export type ComponentOptions = {
  /** What each step does that is worked on here. */
  works: Partial<Record<Step, StepWork>>
  /** Steps of each kind that one process works on at once. */
  slots: Record<Step, number>
  /** Who claims, for operators. */
  worker: string
  leaseSeconds: number
  /** Window of a job. */
  windowSeconds: number
  /** One process is all there is: claims found at the start have no worker any more. */
  releaseClaimsAtStart: boolean
}

/** `ready` resolves when it has caught up with the feed for the first time; `following` tells how it stands since then. */
export type Component = Runnable & { ready?: Promise<void>; following?: Following }

type Make = (ports: ComponentPorts, options: ComponentOptions) => Component

const processor =
  (step: Step): Make =>
  (ports, { works, slots, worker, leaseSeconds }) => {
    const lease = { leaseSeconds, extendEverySeconds: leaseSeconds / 3 }
    const work = works[step]
    if (work === undefined) throw new Error(`nothing here works on ${step}`)
    return new Processor(ports, { step, slots: slots[step], worker, ...lease }, work)
  }

/** One organization may have half of the slots: what it does with them is its own affair, and never that of others. */
export function sharesOf(slots: Record<Step, number>): Record<Step, Shares> {
  const share = (step: Step): Shares => ({ outstanding: slots[step], perOrganization: Math.ceil(slots[step] / 2) })
  return {
    fetch: share('fetch'),
    caption: share('caption'),
    'speech-to-text': share('speech-to-text'),
    extract: share('extract'),
  }
}

export const components = {
  orchestrator: (ports, { slots, windowSeconds, releaseClaimsAtStart }) =>
    new Orchestrator(ports, { shares: sharesOf(slots), windowSeconds, releaseClaimsAtStart }),
  projections: (ports) => new Projector(ports, projections),
  fetch: processor('fetch'),
  caption: processor('caption'),
  'speech-to-text': processor('speech-to-text'),
  extract: processor('extract'),
} satisfies Record<string, Make>
