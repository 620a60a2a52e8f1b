import { cp } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { Service } from '#test/doubles/service/service.ts'
import { until } from '#test/doubles/service/until.ts'
import { Child } from '../kit/child.ts'
import { figure } from '../kit/figures.ts'
import { median } from '../kit/percentiles.ts'
import type { Bench, Figures, Growth, Part } from '../part.ts'
import type { OpenJobsOrder } from '../service/history-process.ts'

const KILLS = 3
const WITHIN_SECONDS = 2
/** The open jobs lie among this share of the history's events. */
const AMONG_SHARE = 0.1
const LOOK_EVERY_MS = 5
const START_SECONDS = 120

export type RestartSetting = { events: number; openJobs: number }

/** A next hop that takes connections and never answers: open jobs stay open. */
async function startSilence(): Promise<AsyncDisposable & { url: string }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Waits until the service has said how far it has read, as it does once a second. */
async function checkpointed(dataDir: string, after: number): Promise<void> {
  await using views = await openSqliteViews({ path: join(dataDir, 'views.sqlite'), clock })
  await until('the orchestrator keeps a checkpoint', async () => (await views.checkpoint('orchestrator')) > after, {
    seconds: START_SECONDS,
  })
}

const answersTo = async (base: string, path: string, headers = {}): Promise<boolean> =>
  fetch(base + path, { headers }).then(
    async (response) => (await response.text()) !== '' && response.ok,
    () => false,
  )

/** Starts the service and waits until it answers, also a customer whom it has to know. @returns seconds */
async function secondsToServe(service: Service, key: string): Promise<number> {
  const from = performance.now()
  service.spawn()
  await until('the service serves', () => service.base, { seconds: START_SECONDS, everyMs: LOOK_EVERY_MS })
  for (const [path, headers] of [['/health'], ['/v1/me', { 'x-api-key': key }]] as const)
    await until(`${path} answers`, () => answersTo(service.base, path, headers), { everyMs: LOOK_EVERY_MS })
  return (performance.now() - from) / 1000
}

/** Kills the service on this much data, and measures until it serves again. @returns seconds, one for each kill */
export async function restartSeconds(
  bench: Pick<Bench, 'directory' | 'histories'>,
  { events, openJobs }: RestartSetting,
  kills: number,
): Promise<number[]> {
  const history = await bench.histories.of(events)
  await using silence = await startSilence()
  await using service = await Service.prepare({ env: { EGRESS_PROXY: silence.url } })
  const { dataDir } = service
  await cp(history.dataDir, dataDir, { recursive: true })
  {
    await using child = new Child(new URL('../service/history-process.ts', import.meta.url), bench)
    const { customers } = history
    const order: OpenJobsOrder = { dataDir, customers, open: openJobs, among: events * AMONG_SHARE }
    await child.call('addOpenJobs', order)
  }
  await service.start()
  await checkpointed(dataDir, events * (1 - AMONG_SHARE))
  const seconds: number[] = []
  for (let kill = 0; kill < kills; kill++) {
    await service.end('SIGKILL')
    seconds.push(await secondsToServe(service, history.customers[0]?.key ?? ''))
    // It works for a moment, as after any start.
    await rest(1000)
  }
  return seconds
}

async function run(bench: Bench): Promise<Figures> {
  const values: Growth['values'][number][] = []
  for (const share of [0.01, 0.1, 1]) {
    const events = 1_000_000 * share * bench.scale
    const openJobs = 10_000 * share * bench.scale
    values.push({ size: events, value: median(await restartSeconds(bench, { events, openJobs }, KILLS)) })
  }
  const seconds = values.at(-1)?.value ?? 0
  const size = (full: number): string => (full * bench.scale).toLocaleString('en-US')
  const among = size(1_000_000 * AMONG_SHARE)
  return {
    rows: [
      {
        what: `serving again after kill -9 with ${size(10_000)} open jobs (among the last ${among} events) and ${size(1_000_000)} events`,
        measured: `${figure(seconds)} s (median of ${KILLS})`,
        wanted: `≤ ${WITHIN_SECONDS} s`,
        met: seconds <= WITHIN_SECONDS,
      },
    ],
    growth: [{ what: 'restart', unit: ' s', grows: 'events, and with them open jobs (1 in 100)', values }],
  }
}

export const restart: Part = { name: 'restart', title: 'Restart after kill -9', run }
