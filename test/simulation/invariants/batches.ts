import { batch } from '#packages/domain/batch/batch.ts'
import { isKnown, type KnownBatch } from '#packages/domain/batch/state.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { itemJobIdOf, streams } from '#packages/ports/ids.ts'
import { type Check, endOf, type History } from './history.ts'
import { type EventOf, ofType } from './raw-events.ts'

/**
 * Invariant 17: every accepted batch ends once. By then each of its items has ended, as its last job did, and is paid
 * once. The credits held for a batch are charged or refunded, once, and one Idempotency-Key makes one batch.
 */
export const batchesAddUp: Check = (history) => {
  const byStream = Map.groupBy(history.events, ({ stream }) => stream)
  const eventsOf = (batchId: string): readonly StoredEvent[] => byStream.get(streams.batch(batchId)) ?? []
  return [
    ...ofType(history.events, 'CreditsHeld').flatMap((held) => brokenHold(history, held, eventsOf(held.data.batchId))),
    ...wrongAnswers(history, eventsOf),
  ]
}

function brokenHold(
  history: History,
  { data: held }: EventOf<'CreditsHeld'>,
  events: readonly StoredEvent[],
): string[] {
  const { batchId } = held
  const wrong: string[] = []
  const ends = ofType(events, 'BatchEnded')
  const releases = ofType(history.events, 'CreditsReleased').filter(({ data }) => data.batchId === batchId)
  const [end] = ends
  if (ends.length !== 1 || end === undefined) return [`the batch ${batchId} has ended ${ends.length} times`]
  if (releases.length !== 1) wrong.push(`the hold of ${batchId} was released ${releases.length} times`)
  const settled = ofType(history.events, 'CreditsSettled').filter(({ data }) => data.batch?.batchId === batchId)
  const charged = settled.reduce((sum, { data }) => sum + data.charged, 0)
  const known = fold(batch, events)
  if (!isKnown(known)) return charged === 0 ? wrong : [...wrong, `${batchId} was never asked for, and was charged`]
  if (end.data.charged !== charged)
    wrong.push(`${batchId} is said to cost ${end.data.charged}, and was charged ${charged}`)
  if (end.data.returned !== held.credits - charged)
    wrong.push(`${batchId} returned ${end.data.returned} of ${held.credits}`)
  return [...wrong, ...wrongItems(history, batchId, known), ...wrongEnd(history, batchId, known)]
}

function wrongItems({ jobs, settlements }: History, batchId: string, { items, ...known }: KnownBatch): string[] {
  return items.flatMap(({ state, attempt, code, charged }, item) => {
    const name = `item ${item} of ${batchId}`
    if (state === 'working' || (state === 'queued' && known.reason !== 'not_accepted')) return [`${name} is ${state}`]
    const all = Array.from({ length: attempt }, (_, n) => itemJobIdOf(batchId, { item, attempt: n + 1 }))
    const costs = all.map((jobId) => settlements.get(jobId)?.[0]?.data.charged ?? 0)
    const cost = costs.reduce((sum, each) => sum + each, 0)
    if (cost !== charged) return [`${name} is said to cost ${charged}, and was charged ${cost}`]
    if (costs.filter((each) => each > 0).length > 1) return [`${name} was paid twice`]
    const last = endOf(jobs.get(all.at(-1) ?? '') ?? [])
    if (state === 'completed') return last?.type === 'JobCompleted' ? [] : [`${name} is completed, and its job is not`]
    if (last?.type === 'JobCompleted') return [`${name} is ${state}, and its job is completed`]
    const isUnpaid = code === 'insufficient_credits'
    return isUnpaid || code === null || (last?.type === 'JobFailed' && last.data.code === code)
      ? []
      : [`${name} ended with ${code}, and its job with ${last?.data.code}`]
  })
}

/** A batch ends early only if somebody cancels it, or its key is revoked. */
function wrongEnd({ events, world: { record } }: History, batchId: string, known: KnownBatch): string[] {
  const { reason, keyId, orgId } = known
  const isRevoked = events.some(({ type, stream }) => type === 'KeyRevoked' && stream === streams.key(keyId ?? ''))
  const isWanted = record.cancelledBatches.has(batchId) || record.closings.some((one) => one.orgId === orgId)
  if (reason === 'key_revoked' && !isRevoked) return [`the key of ${batchId} was never revoked`]
  if (reason === 'cancelled' && !isWanted) return [`nobody has cancelled ${batchId}`]
  return []
}

function wrongAnswers({ world: { record } }: History, eventsOf: (batchId: string) => readonly StoredEvent[]): string[] {
  const wrong: string[] = []
  const byKey = new Map<string, string>()
  for (const { orgId, idempotencyKey, urls, answer } of record.batches) {
    if (answer === undefined || !('batchId' in answer)) continue
    const { batchId } = answer
    const known = fold(batch, eventsOf(batchId))
    const distinct = new Set(urls).size
    if (!isKnown(known) || known.reason === 'not_accepted') wrong.push(`${batchId} was accepted, and is not there`)
    else if (known.items.length !== distinct && known.cancelled === null)
      wrong.push(`${batchId} has ${known.items.length} of ${distinct} items`)
    const name = `${orgId} ${idempotencyKey}`
    if (idempotencyKey !== undefined && (byKey.get(name) ?? batchId) !== batchId)
      wrong.push(`two batches stand under ${idempotencyKey}`)
    byKey.set(name, batchId)
  }
  return wrong
}
