import { randomUUID } from 'node:crypto'
import type { StepTask } from '#contracts/generated/messages.ts'

/** A task of a made-up job. */
export const someTask = (fields: Partial<StepTask> = {}): StepTask => ({
  jobId: `job-${randomUUID()}`,
  orgId: 'org-1',
  lane: 'standard',
  step: 'fetch',
  attempt: 1,
  revision: 3,
  deadlineAt: 1_800_000_000_000,
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  ...fields,
})
