import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { unexported } from '#services/host/open-telemetry.ts'
import { openOutside } from '#services/host/outside.ts'
import type { Disturbance } from '#services/sandbox/disturbance.ts'
import { startSandboxWorld } from '#services/sandbox/world.ts'
import { proxyWithSessions } from '#test/doubles/service/sandbox-setting.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import type { Cell } from './cells.ts'
import { type CheckOptions, checkPlatforms } from './check.ts'
import { DriftLog } from './drift-log.ts'

/** The check for drift on a sandbox that can remove fields from its answers. Every read has its own exit address. */
export async function startDriftHarness(more: Record<string, string> = {}) {
  await using opening = new AsyncDisposableStack()
  const sandbox = opening.use(await startSandboxWorld())
  const folder = opening.use(await temporaryDirectory())
  const drift = new DriftLog()
  const notKept = { METADATA_CACHE_SECONDS: '0', SEARCH_CACHE_SECONDS: '0', PROFILE_CACHE_SECONDS: '0' }
  const config = readConfig({
    EGRESS_PROXY: proxyWithSessions(sandbox),
    EGRESS_CA_FILE: sandbox.caFile,
    SEARXNG_URL: sandbox.searxngUrl,
    ...notKept,
    ...more,
  })
  const ports = { clock, ids, log: drift.log, telemetry: unexported, isEstablished: async () => false }
  const { platforms } = opening.use(await openOutside(config, await openDataDirectory(folder.path), ports))
  const end = opening.move()
  return {
    sandbox,
    async check(wanted: Partial<Pick<CheckOptions, 'examples' | 'query'>>): Promise<Cell[]> {
      // the cache must not answer with an earlier check's reads
      const urls = Object.values(wanted.examples ?? {}).flatMap((example) => example.urls)
      for (const url of urls) await platforms.forget({ url })
      return checkPlatforms({ platforms, drift, examples: {}, query: undefined, ...wanted })
    },
    /** Removes something until it is disposed of. */
    without(disturbances: readonly Disturbance[]): Disposable {
      const stack = new DisposableStack()
      for (const disturbance of disturbances) stack.use(sandbox.disturb(disturbance))
      return stack
    },
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  }
}

export type DriftHarness = Awaited<ReturnType<typeof startDriftHarness>>
