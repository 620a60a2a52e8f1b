import { mkdtemp, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { Histories } from '#test/bench/histories.ts'
import { allOf } from '#test/bench/kit/all-of.ts'
import { assertOnDisk } from '#test/bench/kit/machine.ts'
import { type BusyService, killedService, secondsToServe } from '#test/bench/service/busy-service.ts'
import { storeIn } from '#test/bench/service/stores.ts'
import { audit } from '#test/doubles/service/audit.ts'
import { type AnswerBody, Client } from '#test/doubles/service/client.ts'
import { startWorld } from '#test/doubles/world/world.ts'

const EVENTS = 1_000_000
const OPEN_JOBS = 10_000
/** The number of events between the open jobs. */
const AMONG = 100_000
/** When this many of the open jobs have ended, the service is killed again. */
const KILLED_AGAIN_AFTER = OPEN_JOBS / 2
/** How long a restart should take, seconds. It is printed, not checked, because machines differ. */
const WANTED_SECONDS = 2
const ENDS_WITHIN_MS = 120_000
const CALLS_AT_ONCE = 32

const env = { RATE_POLLS_PER_MINUTE: '1000000', RATE_LIGHT_PER_MINUTE: '1000000' }

/** An outside world that accepts requests. It answers none at first, and later all of them with 404. */
async function startSilentWorld() {
  const held: ServerResponse[] = []
  let answers = false
  const film = (_: unknown, response: ServerResponse): void => {
    if (answers) response.writeHead(404).end()
    else held.push(response)
  }
  const { proxyUrl, close } = await startWorld({ files: { '/film.mp4': film } })
  return {
    proxyUrl,
    answer(): void {
      answers = true
      for (const response of held.splice(0)) response.writeHead(404).end()
    },
    [Symbol.asyncDispose]: close,
  }
}

/** The parts of an event that an audit reads: a million of them are kept in memory. */
function lean({ stream, type, data, metadata }: StoredEvent): StoredEvent {
  const { orgId } = metadata
  const { budget, code } = data as { budget?: number; code?: string }
  const kept = stream.startsWith('job-') ? { budget, code } : data
  return { stream, type, data: kept, metadata: { orgId } } as StoredEvent
}

/** Waits until this many of the open jobs are settled. */
async function settled(busy: BusyService, count: number): Promise<void> {
  await using store = await storeIn(busy.service.dataDir)
  const signal = AbortSignal.timeout(ENDS_WITHIN_MS)
  const ids = new Set(busy.open.map(({ jobId }) => jobId))
  for await (const { events } of store.follow({ after: EVENTS - AMONG, prefixes: ['credits-'], signal })) {
    for (const { type, data } of events) if (type === 'CreditsSettled') ids.delete(data.jobId)
    if (busy.open.length - ids.size >= count) return
  }
  throw new Error(`${ids.size} open jobs were not settled in time`)
}

/** Every event ever written. */
async function everything(busy: BusyService): Promise<StoredEvent[]> {
  await using store = await storeIn(busy.service.dataDir)
  const all: StoredEvent[] = []
  const { signal } = new AbortController()
  for await (const batch of store.follow({ after: 0, prefixes: ['job-', 'credits-'], signal })) {
    for (const event of batch.events) all.push(lean(event))
    if (batch.caughtUp) break
  }
  return all
}

/** Polls each open job as its owner. @returns how many jobs got each answer */
async function toldOfOpenJobs({ service, open }: BusyService): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  await allOf(open.length, CALLS_AT_ONCE, async (index) => {
    const job = open[index] as (typeof open)[number]
    const client = new Client(() => service.base, { ...job, keyId: '' })
    const { status, body } = await client.get(`/v1/transcript/${job.jobId}`)
    const words = `${status} ${body.status}${codeOf(body)}`
    counts.set(words, (counts.get(words) ?? 0) + 1)
  })
  return counts
}

const codeOf = ({ error }: AnswerBody): string => (error && typeof error === 'object' ? ` ${error.code}` : '')

/** Compares the ledger's events, the answers of the service and the end of every open job with one another. */
async function assertNothingIsLost(busy: BusyService): Promise<void> {
  const events = await everything(busy)
  expect(events.length).to.be.above(EVENTS)
  const { complaints, balances } = audit(events)
  expect(complaints).to.deep.equal([])
  for (const customer of busy.customers) {
    const client = new Client(() => busy.service.base, { ...customer, keyId: '' })
    expect(await client.credits(), customer.orgId).to.equal(balances.get(customer.orgId))
  }
}

/**
 * Kills a service with a million events and 10,000 open jobs. Started again, the service knows each of the jobs and
 * continues them, also after another kill. In the end every ledger adds up.
 * @returns how long it took to serve again, seconds, for each kill
 * @throws Error naming what is wrong
 */
async function restartWith(directory: string): Promise<number[]> {
  await using world = await startSilentWorld()
  const past = { events: EVENTS - AMONG, openJobs: OPEN_JOBS, among: AMONG, url: 'http://cdn.example.com/film.mp4' }
  const histories = new Histories(directory)
  const given = { ...env, EGRESS_PROXY: world.proxyUrl }
  await using busy = await killedService({ directory, histories, ...past, env: given })
  const key = busy.customers[0]?.key ?? ''

  const first = await secondsToServe(busy.service, key)
  expect([...(await toldOfOpenJobs(busy))]).to.deep.equal([['200 queued', OPEN_JOBS]])
  world.answer()
  await settled(busy, KILLED_AGAIN_AFTER)
  await busy.service.end('SIGKILL')
  const second = await secondsToServe(busy.service, key)
  await settled(busy, OPEN_JOBS)
  expect([...(await toldOfOpenJobs(busy))]).to.deep.equal([['200 failed video_unavailable', OPEN_JOBS]])
  await assertNothingIsLost(busy)
  return [first, second]
}

/** Runs the restarts, and prints problems and times. @returns whether there was no problem */
export async function restartsWell(): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'restart-'))
  try {
    assertOnDisk(directory)
    const seconds = await restartWith(directory)
    const times = seconds.map((one) => `${one.toFixed(2)} s`).join(' and ')
    console.log(
      `  served again after ${times} (wanted: ${WANTED_SECONDS} s); every job ended, and every ledger adds up`,
    )
    return true
  } catch (error) {
    console.error(error)
    return false
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}
