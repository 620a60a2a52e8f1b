import type { Ledgers } from '#packages/ledger/ledgers.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import type { WorkQueue } from '#packages/ports/work-queue.ts'
import type { JobDesk } from '#services/ingress/accept-job.ts'

export type Ports = { store: EventStore; views: Views; queue: WorkQueue; ids: Ids; ledgers: Ledgers }

/** What is broken on purpose, component by component, to see that a run can fail. */
export type Mutation = {
  ports?(component: string, ports: Ports): Ports
  desk?(desk: JobDesk, ports: Ports): Pick<JobDesk, 'accept'>
}
