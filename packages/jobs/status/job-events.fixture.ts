import type { Step } from '#packages/domain/job/events.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'

/** When the first event was recorded. */
export const AT = Date.UTC(2026, 10, 21, 12)
export const iso = (seconds: number): string => new Date(AT + seconds * 1000).toISOString()
export const traceId = '1'.repeat(32)

/** The stream of a job, with one event per second. */
export const stored = (...events: DomainEvent[]): StoredEvent[] =>
  events.map((event, revision) => ({
    ...event,
    id: `event-${revision}`,
    stream: 'job-j1',
    revision,
    position: revision + 1,
    recordedAt: AT + revision * 1000,
    metadata: {
      orgId: 'org-1',
      correlationId: 'j1',
      causationId: 'test',
      traceparent: `00-${traceId}-${'2'.repeat(16)}-01`,
    },
  }))

export const started = (step: Step, attempt = 1): DomainEvent => ({
  type: 'StepStarted',
  data: { step, attempt, worker: 'host-7/4711', leaseSeconds: 30 },
})
export const stepFailed = (code: string, retryAfterSeconds: number): DomainEvent => ({
  type: 'StepFailed',
  data: { step: 'fetch', attempt: 1, code, retryAfterSeconds, used: null },
})
export const completed: DomainEvent = { type: 'JobCompleted', data: { orgId: 'org-1', kind: 'transcript', credits: 1 } }
export const failed = (code: string): DomainEvent => ({
  type: 'JobFailed',
  data: { orgId: 'org-1', kind: 'transcript', code, message: 'made up', used: null },
})
