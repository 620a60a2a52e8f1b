import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'

/** The interpreter that ops/setup installs pocketsphinx for. */
export const python = fileURLToPath(new URL('../../../.venv/bin/python', import.meta.url))

/** Real time; sleeps are noted and take no time. */
export function instantClock(): Clock & { slept: number[] } {
  const slept: number[] = []
  return {
    slept,
    now: () => Date.now(),
    async sleep(ms) {
      slept.push(ms)
    },
  }
}

/** A log whose lines can be read back. */
export function keptLog(): { log: Logger; lines: string[] } {
  const lines: string[] = []
  return { lines, log: pino({}, { write: (line: string) => void lines.push(line) }) }
}

export async function temporaryDirectory(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'speech-test-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
