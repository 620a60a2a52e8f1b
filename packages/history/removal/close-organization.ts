import { revokeKey } from '#packages/accounts/keys/revoke-key.ts'
import { batch } from '#packages/domain/batch/batch.ts'
import { watch } from '#packages/domain/watch/watch.ts'
import { webhook } from '#packages/domain/webhook/webhook.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import type { BatchDocument } from '#packages/events/views/batches.ts'
import type { KeyDocument } from '#packages/events/views/keys.ts'
import type { WatchDocument } from '#packages/events/views/watches.ts'
import type { WebhookDocument } from '#packages/events/views/webhooks.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { cancelJob } from '#packages/jobs/status/cancel-job.ts'
import { anyJob, listJobs } from '#packages/jobs/status/list-jobs.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { recordRemoval } from './record-removal.ts'

type Ports = { store: EventStore; views: Views; attempts: AttemptsUnderWay; clock: Clock; ids: Ids }

/** The organization, and the request or command that asks to forget it. */
export type OrganizationToForget = { orgId: string; cause: string }

const GIVE_UP_AFTER_MS = 5000

/** How long the views may take to show what was just written, milliseconds. */
const SHOWN_WITHIN_MS = 5000

/**
 * Closes an organization without members: revokes its keys, removes its webhooks and watches, and cancels its batches
 * and open jobs. Then it records the decision to forget the organization, in the first event of its removal.
 * `services/retention` removes the rest once all jobs are settled. Repeat it if it fails: then nothing is decided.
 * @throws ServiceError unavailable
 */
export async function closeOrganization(ports: Ports, { orgId, cause }: OrganizationToForget): Promise<void> {
  await revokeKeys(ports, orgId)
  await removeWebhooks(ports, orgId)
  await removeWatches(ports, orgId)
  await cancelBatches(ports, orgId)
  await cancelJobs(ports, orgId)
  const decided = await ports.store.read(streams.removal(orgId), { from: 0, to: 0 })
  if (decided.length > 0) return
  const data = { reason: 'forgotten' as const, streams: [streams.organization(orgId)] }
  await recordRemoval(ports, { about: orgId, orgId, cause, data }, 'no-stream')
}

/**
 * Repeats until the list is empty, because a key may create another one before it is revoked. Once the view shows a
 * revocation it also shows every earlier key and job, so that none is missed.
 */
async function revokeKeys(ports: Ports, orgId: string): Promise<void> {
  const { views, ids } = ports
  for (;;) {
    const keys = await views.find<KeyDocument>('keys', 'listedFor', orgId)
    if (keys.length === 0) return
    let position = 0
    for (const { id: keyId } of keys) {
      const request = ids.uuid()
      const metadata = { orgId, correlationId: request, causationId: request, traceparent: newTraceparent(false) }
      const revoked = await revokeKey(ports, { keyId, metadata, giveUpAfterMs: GIVE_UP_AFTER_MS })
      position = Math.max(position, revoked.position)
    }
    if (!(await views.waitForApplied(position, SHOWN_WITHIN_MS))) throw notShown()
  }
}

/** Ends all deliveries. */
async function removeWebhooks(ports: Ports, orgId: string): Promise<void> {
  const command = { type: 'remove', orgId } as const
  for (const { id } of await ports.views.find<WebhookDocument>('webhooks', 'listedFor', orgId))
    await handleCommand(ports, webhook, { stream: streams.webhook(id), command, ...forClosing(ports, orgId) })
}

/** Ends all looks at sources. */
async function removeWatches(ports: Ports, orgId: string): Promise<void> {
  const command = { type: 'remove', orgId } as const
  for (const { id } of await ports.views.find<WatchDocument>('watches', 'listedFor', orgId))
    await handleCommand(ports, watch, { stream: streams.watch(id), command, ...forClosing(ports, orgId) })
}

/** After that, no batch begins another job. */
async function cancelBatches(ports: Ports, orgId: string): Promise<void> {
  const command = { type: 'cancel', reason: 'asked', by: null } as const
  for (const { id, status } of await ports.views.find<BatchDocument>('batches', 'orgId', orgId))
    if (status === 'running')
      await handleCommand(ports, batch, { stream: streams.batch(id), command, ...forClosing(ports, orgId) })
}

function forClosing({ ids, clock }: Ports, orgId: string) {
  const request = ids.uuid()
  const metadata = { orgId, correlationId: request, causationId: request, traceparent: newTraceparent(false) }
  return { metadata, giveUpAt: clock.now() + GIVE_UP_AFTER_MS }
}

async function cancelJobs(ports: Ports, orgId: string): Promise<void> {
  const { views, ids } = ports
  let cursor: string | undefined
  do {
    const { jobs, nextCursor } = await listJobs(views, orgId, { ...anyJob, status: 'queued', cursor })
    for (const { jobId } of jobs) {
      const cancellation = { jobId, orgId, requestId: ids.uuid() }
      await cancelJob(ports, cancellation, { giveUpAfterMs: GIVE_UP_AFTER_MS })
    }
    cursor = nextCursor ?? undefined
  } while (cursor !== undefined)
}

const notShown = (): ServiceError =>
  new ServiceError('unavailable', 'The organization could not be closed yet; try again in a moment.', {
    retryAfterSeconds: 5,
  })
