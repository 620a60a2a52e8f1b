import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PartName, partNames } from '#services/host/serve.ts'

const SERVES_WITHIN_MS = 120_000
const ENDS_WITHIN_MS = 15_000

const runtime = fileURLToPath(new URL('../../../ops/runtime.mjs', import.meta.url))
const service = fileURLToPath(new URL('../../../services/host/service.ts', import.meta.url))

/** Every service as `npm run start:distributed` starts it, but without restarts. Disposing ends them. */
export class RealServices implements AsyncDisposable {
  readonly #children: ReadonlyMap<PartName, ChildProcess>

  private constructor(children: ReadonlyMap<PartName, ChildProcess>) {
    this.#children = children
  }

  /** Waits until all of them serve. @throws Error one does not, with the end of what it said */
  static async start(directory: string, env: Record<string, string>): Promise<RealServices> {
    const dataDir = await mkdtemp(join(directory, 'services-'))
    const children = new Map<PartName, ChildProcess>()
    const services = new RealServices(children)
    const variables = { ...process.env, DATA_DIR: dataDir, PORT: '0', SERVICE_PORT: '0', ...env }
    try {
      await Promise.all(
        partNames.map(async (part) => {
          const log = join(dataDir, `${part}.log`)
          const file = openSync(log, 'w')
          const child = spawn(process.execPath, ['--import', runtime, '--import', 'tsx', service, part], {
            env: variables,
            stdio: ['ignore', file, file, 'ipc'],
          })
          closeSync(file)
          children.set(part, child)
          await serves(part, child, log)
        }),
      )
      return services
    } catch (error) {
      await services[Symbol.asyncDispose]()
      throw error
    }
  }

  get pids(): [name: PartName, pid: number][] {
    return [...this.#children].map(([part, { pid = 0 }]) => [part, pid])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#children.values()].map(end))
  }
}

/** A service sends a message once it serves. */
async function serves(part: PartName, child: ChildProcess, log: string): Promise<void> {
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(SERVES_WITHIN_MS)])
  const died = once(child, 'exit', { signal }).then(() => 'ended')
  const said = once(child, 'message', { signal }).then(() => 'serves')
  const what = await Promise.race([said, died]).catch(() => 'does not serve in time')
  over.abort()
  await Promise.allSettled([said, died])
  if (what !== 'serves') throw new Error(`${part} ${what}: ${readFileSync(log, 'utf8').slice(-2000)}`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const late = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS)
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
  clearTimeout(late)
}
