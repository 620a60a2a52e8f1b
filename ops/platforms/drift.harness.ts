import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { unexported } from '#services/host/open-telemetry.ts'
import { openOutside } from '#services/host/outside.ts'
import type { Disturbance } from '#services/sandbox/disturbance.ts'
import { type SandboxWorld, startSandboxWorld } from '#services/sandbox/world.ts'
import { proxyWithSessions } from '#test/doubles/service/sandbox-setting.ts'
import type { Cell } from './cells.ts'
import { type CheckOptions, checkPlatforms } from './check.ts'
import { DriftLog } from './drift-log.ts'

/** The check for drift on a sandbox that can remove fields from its answers. Every read has its own exit address. */
export class DriftHarness implements AsyncDisposable {
  readonly sandbox: SandboxWorld
  readonly #platforms: Platforms
  readonly #drift: DriftLog
  readonly #end: AsyncDisposableStack

  private constructor(sandbox: SandboxWorld, platforms: Platforms, drift: DriftLog, end: AsyncDisposableStack) {
    this.sandbox = sandbox
    this.#platforms = platforms
    this.#drift = drift
    this.#end = end
  }

  static async start(more: Record<string, string> = {}): Promise<DriftHarness> {
    await using opening = new AsyncDisposableStack()
    const sandbox = opening.use(await startSandboxWorld())
    const folder = opening.adopt(await mkdtemp(join(tmpdir(), 'watch-')), (path) => rm(path, { recursive: true }))
    const drift = new DriftLog()
    const notKept = { METADATA_CACHE_SECONDS: '0', SEARCH_CACHE_SECONDS: '0', PROFILE_CACHE_SECONDS: '0' }
    const config = readConfig({
      EGRESS_PROXY: proxyWithSessions(sandbox),
      EGRESS_CA_FILE: sandbox.caFile,
      SEARXNG_URL: sandbox.searxngUrl,
      ...notKept,
      ...more,
    })
    const outside = opening.use(
      await openOutside(config, await openDataDirectory(folder), {
        clock,
        ids,
        log: drift.log,
        telemetry: unexported,
        isEstablished: async () => false,
      }),
    )
    return new DriftHarness(sandbox, outside.platforms, drift, opening.move())
  }

  async check(wanted: Partial<Pick<CheckOptions, 'examples' | 'query'>>): Promise<Cell[]> {
    // the cache must not answer with an earlier check's reads
    const urls = Object.values(wanted.examples ?? {}).flatMap((example) => example.urls)
    for (const url of urls) await this.#platforms.forget({ url })
    return checkPlatforms({ platforms: this.#platforms, drift: this.#drift, examples: {}, query: undefined, ...wanted })
  }

  /** Removes something until it is disposed of. */
  without(disturbances: readonly Disturbance[]): Disposable {
    const stack = new DisposableStack()
    for (const disturbance of disturbances) stack.use(this.sandbox.disturb(disturbance))
    return stack
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end.disposeAsync()
  }
}
