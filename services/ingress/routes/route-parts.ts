import type { Scope } from '#packages/domain/key/grant.ts'
import type { OwnerNote } from '#packages/jobs/acceptance/owner-note.ts'
import type { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import type { Shared, SharedResources } from '#services/ingress/shared.ts'
import type { Answers, Work } from '../answers/answers.ts'
import type { EndedJobs } from '../answers/ended-jobs.ts'
import type { ErrorObjects } from '../answers/error-objects.ts'
import type { Operation } from '../authentication/permit.ts'
import type { EndWaits } from '../limits/end-waits.ts'

/** Everything that routes are made of. Each group of routes names the few parts that it uses. */
export type RouteParts = SharedResources &
  Shared['accounts'] &
  Shared['jobs'] &
  Shared['readers'] &
  Shared['limits'] &
  Pick<Shared, 'lookups' | 'closing'> & {
    note: OwnerNote
    ended: EndedJobs
    answers: Answers
    errors: ErrorObjects
    loop: LoopMonitor
    waits: EndWaits
  }

export type Answering = Pick<RouteParts, 'answers' | 'rates'>

/** Makes operations that count as light requests and answer with JSON. */
export const lightOperations =
  ({ answers, rates }: Answering) =>
  (scope: Scope, status: number, work: Work): Operation => ({
    scope,
    limit: rates.light,
    answer: answers.with(status, work),
  })
