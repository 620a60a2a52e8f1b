import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { anyJob, listJobs } from '#packages/jobs/status/list-jobs.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import { type CarryOutPorts, carryOut } from './carry-out.ts'
import type { OrganizationToForget } from './close-organization.ts'
import { MOST_STREAMS, recordRemoval } from './record-removal.ts'

export type ForgetOrganizationPorts = CarryOutPorts & {
  ledgers: Ledgers
  views: Views
  clock: Clock
  ids: Ids
  /**
   * The streams of the organization's jobs, keys, webhooks, deliveries and batches in archives. Archives have those
   * that retention removed from the store. Missing: there are no archives.
   */
  archived?: (orgId: string) => Promise<readonly string[]>
}

/** It cannot be forgotten yet. The message says what it waits for. Try again a second later. */
export class NotYetForgottenError extends Error {
  readonly code = 'not_yet_forgotten'
  /** Whether it waits for a job, which only the orchestrator ends and settles. */
  readonly waitsForJobs: boolean
  constructor(message: string, waitsForJobs = false) {
    super(message)
    this.waitsForJobs = waitsForJobs
  }
}

/**
 * How long after its closing an organization may still be served, milliseconds. Every process learns within a second
 * that the keys are revoked, and no request tries to append for longer than five.
 */
const NOBODY_SERVED_AFTER_MS = 10_000

/** How long the views may take to show what was just written, milliseconds. */
const SHOWN_WITHIN_MS = 5000

/**
 * Removes all streams of a closed organization: jobs, keys, webhooks, deliveries and batches, and last its ledger,
 * which records its jobs. Repeat it until it succeeds. Several processes may do so: decisions are final.
 * @param tell called with the number of streams removed so far
 * @throws NotYetForgottenError; RevisionConflictError if another process does the same
 */
export async function forgetOrganization(
  ports: ForgetOrganizationPorts,
  { orgId, cause }: OrganizationToForget,
  tell: (removed: number) => void = () => {},
): Promise<void> {
  const decided = await decisionsOf(ports, orgId)
  await assertQuiet(ports, orgId, decided)
  const named = new Set(decided.flatMap(({ data }) => data.streams))
  let newest = decided.at(-1)
  const decide = async (removed: string[]): Promise<void> => {
    const data = { reason: 'forgotten' as const, streams: removed }
    await recordRemoval(ports, { about: orgId, orgId, cause, data }, newest?.revision ?? 'no-stream')
    for (const stream of removed) named.add(stream)
    newest = (await decisionsOf(ports, orgId)).at(-1)
  }
  // 1. Jobs, keys, webhooks, deliveries and batches, until the views show no others.
  for (;;) {
    await assertShown(ports.views, newest?.position ?? 0)
    const more = (await streamsOf(ports, orgId)).filter((stream) => !named.has(stream))
    if (more.length === 0) break
    for (let from = 0; from < more.length; from += MOST_STREAMS) await decide(more.slice(from, from + MOST_STREAMS))
  }
  // 2. The ledger and the request counts. The organization's own stream was named when it was closed.
  const last = [streams.credits(orgId), streams.requests(orgId)]
  if (!last.every((stream) => named.has(stream))) await decide(last)
  // 3. Remove them.
  let removed = 0
  for (const event of await decisionsOf(ports, orgId)) {
    await carryOut(ports, event)
    removed += event.data.streams.length
    tell(removed)
  }
}

/** Whether an event is the last decision about its organization: nothing else is left to find. */
export const isLastDecision = ({ data, metadata }: StoredEvent & { type: 'StreamsRemoved' }): boolean =>
  data.reason === 'forgotten' && data.streams.includes(streams.credits(metadata.orgId))

type Decision = StoredEvent & { type: 'StreamsRemoved' }

async function decisionsOf({ store }: CarryOutPorts, orgId: string): Promise<Decision[]> {
  return (await store.read(streams.removal(orgId))).filter((event) => event.type === 'StreamsRemoved')
}

/** @throws NotYetForgottenError if the organization may still be served, or a job is not settled */
async function assertQuiet(
  { ledgers, clock }: ForgetOrganizationPorts,
  orgId: string,
  [closed]: readonly Decision[],
): Promise<void> {
  if (closed === undefined) throw new NotYetForgottenError('the organization is not closed')
  if (clock.now() < closed.recordedAt + NOBODY_SERVED_AFTER_MS)
    throw new NotYetForgottenError('the last requests may still be under way')
  const { openDebits, holds } = await ledgers.current(orgId)
  if (holds.size > 0) throw new NotYetForgottenError(`${holds.size} batches have not ended yet`, true)
  if (openDebits.size > 0) throw new NotYetForgottenError(`${openDebits.size} jobs are not settled yet`, true)
}

/** @throws NotYetForgottenError */
async function assertShown(views: Views, position: number): Promise<void> {
  if (!(await views.waitForApplied(position, SHOWN_WITHIN_MS))) throw new NotYetForgottenError('the views are behind')
}

/** Its jobs, keys, webhooks, deliveries and batches: from its ledger, the views and archives. */
async function streamsOf(ports: ForgetOrganizationPorts, orgId: string): Promise<string[]> {
  const { store, views } = ports
  const found = new Set<string>(await ports.archived?.(orgId))
  for await (const event of store.readBackwards(streams.credits(orgId))) {
    if (event.type === 'CreditsHeld') found.add(streams.batch(event.data.batchId))
    if (event.type !== 'CreditsDebited') continue
    found.add(streams.job(event.data.jobId))
    if (event.data.keyId !== null) found.add(streams.key(event.data.keyId))
  }
  for (const { id } of await views.find('keys', 'orgId', orgId)) found.add(streams.key(id))
  for (const { id } of await views.find('webhooks', 'orgId', orgId)) found.add(streams.webhook(id))
  for (const { id } of await views.find('deliveries', 'orgId', orgId)) found.add(streams.delivery(id))
  for (const { id } of await views.find('batches', 'orgId', orgId)) found.add(streams.batch(id))
  for (const { id } of await views.find('watches', 'orgId', orgId)) found.add(streams.watch(id))
  let cursor: string | undefined
  do {
    const { jobs, nextCursor } = await listJobs(views, orgId, { ...anyJob, cursor })
    for (const { jobId } of jobs) found.add(streams.job(jobId))
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined)
  return [...found]
}
