import { expect } from 'chai'
import { audit } from '#test/doubles/service/audit.ts'
import { type Answered, endpointOf } from '#test/doubles/service/customer.ts'
import { wrongEnds } from '#test/doubles/service/ends.ts'
import { eventsAtRest } from '#test/doubles/service/running-service.ts'
import { until } from '#test/doubles/service/until.ts'
import { replayedDocuments, viewDocumentsOf } from '#test/doubles/service/view-documents.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { summaryOf } from './job-summary.ts'
import type { Load } from './load.ts'

/** The usual window and time to settle. This long after the last order, every accepted job has ended. */
const ENDS_WITHIN_SECONDS = 200

/** Histories shown for each wrong end. */
const HISTORIES = 4

/** A job with an end that differs from that of its order. */
type Wrong = { order: Answered; ending: string }

/** Waits for the end of a job as its customer sees it. Returns the job if its end differs from that of its order. */
async function wrongEnd(order: Answered, endsBy: number): Promise<Wrong[]> {
  const { client, jobId } = order
  const seconds = Math.max(1, (endsBy - Date.now()) / 1000)
  const answer = await client.ended(jobId, endpointOf(order.order), seconds).catch((error: Error) => error)
  if (answer instanceof Error) return [{ order, ending: `no end within ${ENDS_WITHIN_SECONDS} s` }]
  const { status, error } = answer.body
  const failure = status === 'failed' && typeof error === 'object' ? (error ?? undefined) : undefined
  if ((failure?.code ?? status) === order.order.end) return []
  return [{ order, ending: failure === undefined ? `${status}` : `${failure.code}: ${failure.message}` }]
}

/** Counts the wrong ends, and adds the history of some jobs of each kind. */
async function describe(load: Load, wrong: readonly Wrong[]): Promise<string[]> {
  const lines: string[] = []
  for (const [ending, jobs] of Map.groupBy(wrong, (one) => one.ending)) {
    lines.push(`${jobs.length} × ${ending}`)
    for (const { jobId, order } of jobs.slice(0, HISTORIES).map((one) => one.order))
      lines.push(
        `  ${jobId} ${order.mode ?? 'extraction'} ${order.url} → ${order.end}: ${summaryOf(await load.history(jobId))}`,
      )
  }
  return lines
}

/** @throws Error naming the first of them */
function assertNone(what: string, found: readonly string[]): void {
  if (found.length > 0) throw new Error([`${found.length} ${what}, such as:`, ...found.slice(0, 10)].join('\n'))
}

/** @throws Error with the number of jobs that ended wrongly, how they ended, and the histories of some */
async function assertAllEndAsTheyShould(load: Load): Promise<void> {
  const endsBy = Date.now() + ENDS_WITHIN_SECONDS * 1000
  const { answered } = load
  const wrong: Wrong[] = []
  // Each customer polls one job after another: hundreds of polls at once would delay the work itself.
  const ask = async (orders: Answered[]): Promise<void> => {
    for (const order of orders) wrong.push(...(await wrongEnd(order, endsBy)))
  }
  await Promise.all(
    Map.groupBy(answered, ({ client }) => client)
      .values()
      .map(ask),
  )
  if (wrong.length === 0) return
  const count = `${wrong.length} of ${answered.length} jobs ended otherwise than they should:`
  throw new Error([count, ...(await describe(load, wrong))].join('\n'))
}

async function assertViewsEqualReplay(load: Load, mongoUrl: string): Promise<void> {
  await using directory = await temporaryDirectory()
  const env = { MONGODB_URL: mongoUrl }
  const replayed = await replayedDocuments(load.backDoor, directory.path)
  expect(Object.keys(replayed)).to.have.length.above(0)
  const positions = (documents: Record<string, unknown>): string =>
    Object.entries(documents)
      .map(([id, document]) => `${id} ${(document as { position: number }).position}`)
      .join()
  let live: Record<string, unknown> = {}
  const look = async (): Promise<boolean> => {
    live = await viewDocumentsOf({ env, dataDir: directory.path })
    return positions(live) === positions(replayed)
  }
  await until('the views have read everything', look, { seconds: 180, everyMs: 500 }).catch(() => undefined)
  // Reports what differs, even if the views have not read everything.
  expect(live).to.deep.equal(replayed)
}

/**
 * Compares the answers to customers, the events and the views with one another, once all customers have stopped
 * posting.
 * @returns how many jobs were accepted, and how many steps were taken over from another worker
 * @throws AssertionError if something does not hold
 */
export async function assertNothingIsLost(load: Load, mongoUrl: string): Promise<{ jobs: number; takenOver: number }> {
  const { customers, clients, answered } = load
  assertNone(
    'answers that no customer should see',
    customers.flatMap(({ complaints }) => complaints),
  )
  expect(answered).to.have.length.above(5)
  await assertAllEndAsTheyShould(load)
  const keyed = answered.filter(({ idempotencyKey }) => idempotencyKey !== undefined)
  expect(new Set(keyed.map(({ jobId }) => jobId)).size, 'jobs under one key').to.equal(keyed.length)

  const events = await eventsAtRest(load.backDoor, { seconds: 180, everyMs: 500 })
  const { complaints, balances } = audit(events)
  assertNone('complaints about what was written', complaints)
  for (const client of clients) expect(await client.credits()).to.equal(balances.get(client.orgId))
  const debited = new Set(events.flatMap(({ type, data }) => (type === 'CreditsDebited' ? data.jobId : [])))
  expect(answered.filter(({ jobId }) => !debited.has(jobId))).to.deep.equal([])
  const jobIds = new Set(answered.map(({ jobId }) => jobId))
  assertNone('jobs ended otherwise', wrongEnds(events, load.orders, jobIds))

  await assertViewsEqualReplay(load, mongoUrl)
  // The store also has the events of earlier rounds.
  const takenOver = events.filter(
    ({ type, data, metadata }) => type === 'StepStarted' && data.attempt > 1 && jobIds.has(metadata.correlationId),
  )
  return { jobs: answered.length, takenOver: takenOver.length }
}
