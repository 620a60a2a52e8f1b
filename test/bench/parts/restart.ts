import { createServer } from 'node:net'
import { setTimeout as rest } from 'node:timers/promises'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { Service } from '#test/doubles/service/service.ts'
import { figure } from '../kit/figures.ts'
import { median } from '../kit/percentiles.ts'
import type { Bench, Figures, Growth, Part } from '../part.ts'
import { killedService, secondsToServe } from '../service/busy-service.ts'
import { VIDEO_URL } from '../service/noop-steps.ts'

const KILLS = 3
const WITHIN_SECONDS = 2
const STARTS = 5
const START_SECONDS = 0.7
/** The fraction of the history's events among which the open jobs lie. */
const AMONG_SHARE = 0.1

/** A next hop that accepts connections and never answers, so that open jobs stay open. */
const startSilence = () => onLoopback(createServer())

/** Kills the service on this amount of data, and measures until it serves again. @returns seconds, one for each kill */
async function restartSeconds(bench: Bench, events: number, openJobs: number): Promise<number[]> {
  await using silence = await startSilence()
  const among = events * AMONG_SHARE
  const env = { EGRESS_PROXY: `http://127.0.0.1:${silence.port}` }
  const { directory, histories } = bench
  await using busy = await killedService({ directory, histories, events, openJobs, among, url: VIDEO_URL, env })
  const { service, customers } = busy
  const seconds: number[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    seconds.push(await secondsToServe(service, customers[0]?.key ?? ''))
    // Lets the service work for a moment, as after any start.
    await rest(1000)
    await service.end('SIGKILL')
  }
  return seconds
}

/** A first start on an empty folder, until it answers a request, without the time that npm itself takes. */
async function startSeconds(): Promise<number> {
  await using service = await Service.prepare()
  const from = performance.now()
  await service.start()
  return (performance.now() - from) / 1000
}

async function run(bench: Bench): Promise<Figures> {
  const values: Growth['values'][number][] = []
  for (const share of [0.01, 0.1, 1]) {
    const events = 1_000_000 * share * bench.scale
    const openJobs = 10_000 * share * bench.scale
    values.push({ size: events, value: median(await restartSeconds(bench, events, openJobs)) })
  }
  const starts: number[] = []
  while (starts.length < STARTS) starts.push(await startSeconds())
  const first = median(starts)
  const seconds = values.at(-1)?.value ?? 0
  const size = (full: number): string => (full * bench.scale).toLocaleString('en-US')
  const among = size(1_000_000 * AMONG_SHARE)
  return {
    rows: [
      {
        what: 'a start on an empty folder, until the first answer',
        measured: `${figure(first)} s (median of ${STARTS})`,
        wanted: `≤ ${START_SECONDS} s`,
        met: first <= START_SECONDS,
      },
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

export const restart: Part = { name: 'restart', title: 'Start, and restart after kill -9', run }
