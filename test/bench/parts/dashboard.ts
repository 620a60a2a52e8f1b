import type { Child } from '../kit/child.ts'
import { figure, milliseconds, perSecond, times } from '../kit/figures.ts'
import type { LoadResult } from '../kit/load-process.ts'
import type { RawRequest } from '../kit/raw-connection.ts'
import { startLoad, startTested } from '../kit/start.ts'
import type { Bench, Figures, Part, Row } from '../part.ts'
import { post } from '../service/contestant.ts'
import type { DashboardOpened, SignedIn } from '../service/dashboard-process.ts'
import { pollsOf } from './polling.ts'

const CUSTOMERS = 20
const PAST_JOBS = 500
/** The callers of `/v1` meanwhile: each waits for its answer, then asks again. */
const POSTING = 2
const POLLING = 2
const PAGE_MS = 2500
const WANTED_P95_MS = 50

const PEOPLE = 40
const ACCEPTING = 8
const ACCEPTS_MS = 5000
const LEAST_ACCEPTS = 0.4
const MOST_P99 = 4

const sections = ['', '/jobs', '/try/transcript', '/keys', '/usage', '/members', '/settings'] as const

const startDashboard = (bench: Bench): Child =>
  startTested(bench, new URL('../service/dashboard-process.ts', import.meta.url))

/** How fast each page is answered while others post jobs and poll results as fast as they are answered. */
async function pages(bench: Bench): Promise<Row[]> {
  const dataDir = await bench.folder('pages')
  await using posting = startLoad(bench)
  await using polling = startLoad(bench)
  await using looking = startLoad(bench)
  await using service = startDashboard(bench)
  const { port, customers, cookie } = await service.call<DashboardOpened>('open', { dataDir, customers: CUSTOMERS })
  const [first, ...others] = customers
  const jobs = PAST_JOBS * bench.scale
  const ids = await service.call<string[]>('complete', { customer: first, jobs })
  const base = `/dashboard/org/${first?.orgId}`
  const paths = [...sections.map((section) => base + section), `${base}/jobs/${ids[0]}`, '/dashboard/operator']
  const rows: Row[] = []
  for (const path of paths) {
    const request: RawRequest = { method: 'GET', path, headers: { Cookie: cookie } }
    const look = { port, requests: [request], connections: 1, status: 200 }
    await looking.run({ ...look, end: { count: 5 } })
    const end = { afterMs: PAGE_MS * bench.scale }
    const [seen, posted, polled] = await Promise.all([
      looking.run({ ...look, end }),
      posting.run({ port, requests: others.map(post), connections: POSTING, end, status: 202 }),
      polling.run({ port, requests: pollsOf(ids, customers.slice(0, 1)), connections: POLLING, end, status: 200 }),
    ])
    rows.push(pageRow(path.replace(base, '/org/…').replace(ids[0] ?? '', '…'), seen, posted, polled))
  }
  return rows
}

const pageRow = (path: string, seen: LoadResult, posted: LoadResult, polled: LoadResult): Row => ({
  what: `${path}: p95 of ${figure(seen.count)} answers`,
  measured: milliseconds(seen.p95Ms),
  against: `beside ${perSecond(posted.perSecond)} accepts (p95 ${milliseconds(posted.p95Ms)}) and ${perSecond(polled.perSecond)} polls (p95 ${milliseconds(polled.p95Ms)})`,
  wanted: `≤ ${WANTED_P95_MS} ms`,
  met: seen.p95Ms <= WANTED_P95_MS,
})

/** Accepts of `/v1` while forty people keep signing in at once. */
async function signIns(bench: Bench): Promise<Row[]> {
  const dataDir = await bench.folder('sign-ins')
  await using load = startLoad(bench)
  await using service = startDashboard(bench)
  const { port, customers } = await service.call<DashboardOpened>('open', { dataDir, customers: CUSTOMERS })
  const accept = (): Promise<LoadResult> =>
    load.run({
      port,
      requests: customers.map(post),
      connections: ACCEPTING,
      end: { afterMs: ACCEPTS_MS * bench.scale },
      status: 202,
    })
  await accept()
  const alone = await accept()
  const waves: SignedIn[] = []
  let isOver = false
  const besides = accept().finally(() => {
    isOver = true
  })
  while (!isOver) waves.push(await service.call<SignedIn>('signIn', { people: PEOPLE }))
  const beside = await besides
  const answered = waves.reduce((sum, wave) => sum + wave.answered, 0)
  const refused = waves.reduce((sum, wave) => sum + wave.refused, 0)
  const ratio = beside.perSecond / alone.perSecond
  const slower = beside.p99Ms / alone.p99Ms
  return [
    {
      what: `accepts while ${PEOPLE} people sign in at once, again and again (${answered} answered, ${refused} asked to wait)`,
      measured: perSecond(beside.perSecond),
      against: `without sign-ins: ${perSecond(alone.perSecond)}`,
      ratio: times(ratio),
      wanted: `≥ ${LEAST_ACCEPTS} ×`,
      met: ratio >= LEAST_ACCEPTS,
      why: 'One password is hashed at a time, in a thread that leaves the cores to requests; its memory is written all the same.',
    },
    {
      what: 'the same: p99 of an accept',
      measured: milliseconds(beside.p99Ms),
      against: milliseconds(alone.p99Ms),
      ratio: times(slower),
      wanted: `≤ ${MOST_P99} ×`,
      met: slower <= MOST_P99,
    },
  ]
}

async function run(bench: Bench): Promise<Figures> {
  return { rows: [...(await pages(bench)), ...(await signIns(bench))] }
}

export const dashboard: Part = { name: 'dashboard', title: 'The dashboard beside a busy service', run }
