import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { processes, processName } from '#services/host/processes.ts'
import { scriptArguments } from '#test/doubles/script-arguments.ts'

const SERVES_WITHIN_MS = 120_000
const ENDS_WITHIN_MS = 15_000

const project = fileURLToPath(new URL('../../../', import.meta.url))

/** Every service as `npm run start:distributed` starts it, but without restarts. Disposing ends them. */
export class RealServices implements AsyncDisposable {
  readonly #children: ReadonlyMap<string, ChildProcess>

  private constructor(children: ReadonlyMap<string, ChildProcess>) {
    this.#children = children
  }

  /** Waits until all of them serve. @throws Error if one does not, with the end of its output */
  static async start(directory: string, env: Record<string, string>): Promise<RealServices> {
    const dataDir = await mkdtemp(join(directory, 'services-'))
    const children = new Map<string, ChildProcess>()
    const services = new RealServices(children)
    const variables = {
      SECRETS_KEY: 'ab'.repeat(32),
      ...process.env,
      DATA_DIR: dataDir,
      PORT: '0',
      SERVICE_PORT: '0',
      ...env,
    }
    try {
      await Promise.all(
        processes.map(async (parts) => {
          const name = processName(parts)
          const log = join(dataDir, `${name}.log`)
          const file = openSync(log, 'w')
          const words = [...scriptArguments('start'), parts.join(',')]
          const child = spawn(process.execPath, words, {
            cwd: project,
            env: variables,
            stdio: ['ignore', file, file, 'ipc'],
          })
          closeSync(file)
          children.set(name, child)
          await serves(name, child, log)
        }),
      )
      return services
    } catch (error) {
      await services[Symbol.asyncDispose]()
      throw error
    }
  }

  get pids(): [name: string, pid: number][] {
    return [...this.#children].map(([name, { pid = 0 }]) => [name, pid])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#children.values()].map(end))
  }
}

/** A service sends a message once it serves. */
async function serves(name: string, child: ChildProcess, log: string): Promise<void> {
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(SERVES_WITHIN_MS)])
  const died = once(child, 'exit', { signal }).then(() => 'ended')
  const said = once(child, 'message', { signal }).then(() => 'serves')
  const what = await Promise.race([said, died]).catch(() => 'does not serve in time')
  over.abort()
  await Promise.allSettled([said, died])
  if (what !== 'serves') throw new Error(`${name} ${what}: ${readFileSync(log, 'utf8').slice(-2000)}`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const late = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS)
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
  clearTimeout(late)
}
