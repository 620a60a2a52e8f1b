import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { loadProgress } from '#services/orchestrator/progress.ts'
import { Service } from '#test/doubles/service/service.ts'
import { until } from '#test/doubles/service/until.ts'
import type { Histories } from '../histories.ts'
import { Child } from '../kit/child.ts'
import type { Customer } from './customers.ts'
import type { OpenedJob, OpenJobsOrder } from './history-process.ts'

export type BusyOptions = {
  directory: string
  histories: Histories
  /** Events of ended jobs before the first open job. */
  events: number
  /** Jobs that are requested and not begun. */
  openJobs: number
  /** Events of ended jobs between the open ones. */
  among: number
  /** The video of the open jobs. */
  url: string
  /** Environment variables of the service. */
  env: Record<string, string>
}

export type BusyService = AsyncDisposable & { service: Service; customers: Customer[]; open: OpenedJob[] }

const LOOK_EVERY_MS = 5
const START_SECONDS = 120

/** A service with past and open jobs. It caught up with the events and was then killed with SIGKILL. */
export async function killedService(options: BusyOptions): Promise<BusyService> {
  const { directory, histories, events, openJobs, among, url, env } = options
  const { dataDir: past, customers } = await histories.of(events)
  const service = await Service.prepare({ env })
  const { dataDir } = service
  try {
    await cp(past, dataDir, { recursive: true })
    const order: OpenJobsOrder = { dataDir, customers, open: openJobs, among, url }
    const open = await addOpenJobs(directory, order)
    await service.start()
    await checkpointed(dataDir, events)
    await service.end('SIGKILL')
    return { service, customers, open, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
  } catch (error) {
    await service[Symbol.asyncDispose]()
    throw error
  }
}

async function addOpenJobs(directory: string, order: OpenJobsOrder): Promise<OpenedJob[]> {
  await using child = new Child(new URL('./history-process.ts', import.meta.url), { directory })
  return await child.call<OpenedJob[]>('addOpenJobs', order)
}

/** Waits until the orchestrator has saved its checkpoint, as it does once a second. */
async function checkpointed(dataDir: string, atLeast: number): Promise<void> {
  await using views = await openSqliteViews({ path: join(dataDir, 'views.sqlite'), clock, definition })
  const passed = async () => (await loadProgress(views)).checkpoint >= atLeast
  await until('the orchestrator keeps a checkpoint', passed, { seconds: START_SECONDS })
}

const answersTo = async (base: string, path: string, headers = {}): Promise<boolean> =>
  fetch(base + path, { headers }).then(
    async (response) => (await response.text()) !== '' && response.ok,
    () => false,
  )

/** Starts the service and waits until it answers, also to a customer's key. @returns seconds */
export async function secondsToServe(service: Service, key: string): Promise<number> {
  const from = performance.now()
  const life = service.spawn()
  const starting = { seconds: START_SECONDS, everyMs: LOOK_EVERY_MS }
  await until('the service serves', () => !life.over && life.base !== '', starting)
  for (const [path, headers] of [['/health'], ['/v1/me', { 'x-api-key': key }]] as const)
    await until(`${path} answers`, () => answersTo(service.base, path, headers), { everyMs: LOOK_EVERY_MS })
  return (performance.now() - from) / 1000
}
