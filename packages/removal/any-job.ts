import type { ListQuestion } from '#packages/jobs/list-jobs.ts'

/** Asks for all jobs of an organization, page by page. */
export const anyJob: Omit<ListQuestion, 'cursor'> = {
  kind: undefined,
  status: undefined,
  platform: undefined,
  keyId: undefined,
  idempotencyKey: undefined,
  createdAfter: undefined,
  createdBefore: undefined,
  limit: 100,
}
