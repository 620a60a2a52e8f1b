import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '#packages/ports/clock.ts'

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

export async function temporaryDirectory(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'speech-test-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
