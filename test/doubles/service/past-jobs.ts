import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { debit } from '#packages/domain/credits/credits.fixture.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'

/**
 * Writes ended and settled jobs of an organization, faster than a service could do them.
 * @param words in each transcript
 * @returns their ids
 */
export async function addPastJobs(
  { store }: { store: EventStore },
  orgId: string,
  count: number,
  words: number,
): Promise<string[]> {
  const ledgers = new Ledgers({ store, clock, ids })
  const made: string[] = []
  for (let n = 0; n < count; n++) {
    const jobId = ids.uuid()
    const metadata = { orgId, correlationId: jobId, causationId: jobId, traceparent: newTraceparent(true) }
    const segments = Array.from({ length: words }, (_, at) => ({ start: at, end: at + 1, text: `word ${at} of ${n}` }))
    await ledgers.execute(orgId, { command: debit(jobId, 1), metadata })
    const history = [
      { type: 'JobRequested', data: jobRequested({ orgId, mode: 'native', budget: 1 }) },
      { type: 'CaptionsRead', data: { ...results.captions.data, segments } },
      { type: 'JobCompleted', data: { orgId, kind: 'transcript', credits: 1 } },
    ] as const
    const events = history.map((event) => ({ ...event, id: ids.uuid(), metadata }))
    await store.append(streams.job(jobId), 'no-stream', events)
    const settle = { type: 'settle', jobId, charged: 1, reason: 'completed' } as const
    await ledgers.execute(orgId, { command: settle, metadata })
    made.push(jobId)
  }
  return made
}
