import { expect } from 'chai'
import type { Client } from './client.ts'
import type { RunningService } from './running-service.ts'
import { until } from './until.ts'

/** A log line that reports what held a service's event loop. */
export type Held = { heldMs: number; cpuMs: number; everyMs: number; routes: string[] }

/**
 * The least processor time that counts, milliseconds, beyond what may belong to the previous interval. It is small if
 * the thread only waited for a core of a busy machine. There the same work takes twice the processor time.
 */
const HELD_CPU_MS = 200

function heldIn(output: string): Held[] {
  const lines = output.split('\n').filter((line) => line.includes('"the event loop was held"'))
  return lines.map((line) => JSON.parse(line) as Held).filter(({ cpuMs, everyMs }) => cpuMs - everyMs > HELD_CPU_MS)
}

/** The work that held up the event loop of a service during `act`, as the service's own monitor logged it. */
export async function heldWhile(
  setting: RunningService,
  someone: Client,
  act: () => Promise<unknown>,
): Promise<Held[]> {
  await written(setting, someone)
  const from = setting.service.output.length
  await act()
  await written(setting, someone)
  return heldIn(setting.service.output.slice(from))
}

export async function assertNeverHeld(...watched: Parameters<typeof heldWhile>): Promise<void> {
  expect(await heldWhile(...watched)).to.deep.equal([])
}

/** Waits until the log has every line up to now: lines come in order, and this request leaves the last one. */
async function written(setting: RunningService, someone: Client): Promise<void> {
  const { headers } = await someone.get('/v1/me')
  const requestId = headers.get('x-request-id') ?? 'no id'
  await until('the log is written', () => setting.service.output.includes(requestId))
}
