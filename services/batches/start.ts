import { isKnown } from '#packages/domain/batch/state.ts'
import { key } from '#packages/domain/key/key.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { OwnerPorts } from '#packages/events/store/owner-role.ts'
import type { BalanceDocument } from '#packages/events/views/balances.ts'
import { streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { OpenBatches, take } from './open-batches.ts'

type Ports = Pick<OwnerPorts, 'store' | 'views' | 'clock'>

/**
 * Loads the batches that hold credits from the view of balances, which has every event up to its checkpoint. The feed
 * has the rest.
 * @returns the batches, and the position after which to read the feed
 */
export async function loadStart({ store, views, clock }: Ports): Promise<{ batches: OpenBatches; after: number }> {
  const after = await views.checkpoint()
  const batches = new OpenBatches()
  for (const { id: orgId, holds } of await views.find<BalanceDocument>('balances', 'hasHolds', 'yes'))
    for (const batchId of holds) {
      const events = await store.read(streams.batch(batchId))
      // A batch that was never requested gets its full time from now on.
      const unasked = { orgId, correlationId: batchId, causationId: batchId, traceparent: newTraceparent(false) }
      const open = batches.open(batchId, events[0] ?? { recordedAt: clock.now(), metadata: unasked })
      take(open, events)
      if (!isKnown(open.state) || open.state.keyId === null) continue
      open.isKeyRevoked = fold(key, await store.read(streams.key(open.state.keyId))).status === 'revoked'
    }
  return { batches, after }
}
