import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '#packages/config/config.ts'

/** The paths of the embedded mode's files. */
export type DataDirectory = {
  path: string
  events: string
  views: string
  accounts: string
  media: string
  temporary: string
}

/**
 * Makes the directory and its folders. From now on all files of this process are readable by their owner only, and the
 * service's existing files get the same mode. The directory itself may hold files of others.
 * @throws Error an existing file of the service belongs to another user
 */
export async function openDataDirectory(dataDir: string): Promise<DataDirectory> {
  // SQLite, DuckDB and ffmpeg give no mode of their own to the files they make.
  process.umask(0o077)
  const path = resolve(dataDir)
  const media = join(path, 'media')
  const temporary = join(path, 'tmp')
  for (const folder of [path, media, temporary]) await mkdir(folder, { recursive: true })
  for (const name of await readdir(path)) if (isOurs(name)) await keepToOwner(join(path, name))
  const file = (name: string): string => join(path, `${name}.sqlite`)
  return { path, events: file('events'), views: file('views'), accounts: file('accounts'), media, temporary }
}

/** The stores that are files with this configuration: the others are on servers. */
export const storeFilesOf = (
  { eventStoreUrl, mongodbUrl }: Pick<Config, 'eventStoreUrl' | 'mongodbUrl'>,
  { events, views, accounts }: DataDirectory,
): string[] => [
  ...(eventStoreUrl === undefined ? [events] : []),
  ...(mongodbUrl === undefined ? [views, accounts] : []),
]

/** Includes the files that SQLite makes beside its own, such as `events.sqlite-wal`. */
const isOurs = (name: string): boolean =>
  /^(media|tmp|lock|service\.json|secrets\.key.*|(events|views|accounts)\.sqlite.*)$/.test(name)

async function keepToOwner(path: string): Promise<void> {
  try {
    const { mode } = await stat(path)
    if (mode & 0o077) await chmod(path, mode & 0o700)
  } catch (error) {
    // Files beside a database come and go while another process has it open.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** The same directory with a temporary folder of this process alone. Removes those of processes that have ended. */
export async function withOwnTemporary(data: DataDirectory, service: string): Promise<DataDirectory & AsyncDisposable> {
  for (const name of await readdir(data.temporary)) {
    const [, owner, pid] = /^(.+)\.(\d+)$/.exec(name) ?? []
    if (owner === service && !isOther(Number(pid)))
      await rm(join(data.temporary, name), { recursive: true, force: true })
  }
  const temporary = join(data.temporary, `${service}.${process.pid}`)
  await mkdir(temporary, { recursive: true })
  return { ...data, temporary, [Symbol.asyncDispose]: () => rm(temporary, { recursive: true, force: true }) }
}

/** Whether another process runs under this id. */
function isOther(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Removes the temporary files of a killed process. Only for the holder of the directory's lock. */
export async function clearTemporary({ temporary }: DataDirectory): Promise<void> {
  await rm(temporary, { recursive: true, force: true })
  await mkdir(temporary)
}
