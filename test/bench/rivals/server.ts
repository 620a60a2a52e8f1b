import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '#test/doubles/service/until.ts'

/** A database server of the bench. Disposing ends it. */
export type Server = AsyncDisposable & { pid: number }

export type User = { uid: number; gid: number }

/** Starts a server in the foreground and waits until it is ready. */
export async function startServer(
  command: string,
  args: readonly string[],
  { ready, user, end }: { ready(): boolean | Promise<boolean>; user?: User; end: NodeJS.Signals },
): Promise<Server> {
  // It prints its messages to the output of this process.
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...user })
  const exited = once(child, 'exit')
  exited.catch(() => {})
  // It ends with this process, however that ends.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  await until(`${command} is ready`, async () => {
    if (child.exitCode !== null) throw new Error(`${command} ended at its start`)
    return ready()
  })
  return {
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill(end)
      await exited
      process.off('exit', kill)
    },
  }
}

/** The path of a Debian program; undefined if it is not installed. */
export const findProgram = (name: string, folders: readonly string[]): string | undefined =>
  folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
