import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, constants, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '#packages/foundation/config/config.ts'
import { ConfigError } from '#packages/foundation/config/variable.ts'

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
 * Makes the directory and its folders. From then on only their owner can read the files of this process, and the
 * service's existing files get the same mode. The directory itself may hold files of others.
 * @throws ConfigError the directory is no folder, is not writable, does not answer, or has files of another user
 */
export async function openDataDirectory(dataDir: string): Promise<DataDirectory> {
  // SQLite, DuckDB and ffmpeg set no mode on the files they make.
  process.umask(0o077)
  const path = resolve(dataDir)
  const media = join(path, 'media')
  const temporary = join(path, 'tmp')
  await assertAnswers(path)
  try {
    for (const folder of [path, media, temporary]) await mkdir(folder, { recursive: true })
    for (const folder of [path, media, temporary]) await access(folder, constants.W_OK | constants.X_OK)
    for (const name of await readdir(path)) if (isOurs(name)) await keepToOwner(join(path, name))
  } catch (error) {
    throw unusable(whyNot(error as NodeJS.ErrnoException, path))
  }
  const file = (name: string): string => join(path, `${name}.sqlite`)
  return { path, events: file('events'), views: file('views'), accounts: file('accounts'), media, temporary }
}

const unusable = (why: string): ConfigError => new ConfigError(`DATA_DIR cannot be used: ${why}`)

/** Plain words for the system's error codes. */
function whyNot({ code = '', path: named }: NodeJS.ErrnoException, path: string): string {
  const at = named ?? path
  if (code === 'EEXIST' || code === 'ENOTDIR') return `${at} is, or lies in, a file where a folder has to be`
  if (code === 'EACCES' || code === 'EPERM')
    return `this user (${process.getuid?.()}) must not write to ${at}, or does not own it`
  if (code === 'EROFS') return `${at} is on a disk that is mounted for reading only`
  if (code === 'ENOSPC') return `the disk of ${at} is full`
  return `${at} fails (${code})`
}

/** How long the directory may take to answer, milliseconds. */
const ANSWERS_WITHIN_MS = 1000

/**
 * Touches the directory from a child process. An unavailable mount can block a process for hours, and a blocked thread
 * would keep this process from ending. The child's start does not count towards the limit.
 * @throws ConfigError
 */
async function assertAnswers(path: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', 'echo; : <"$1/lock"', 'sh', path], { stdio: ['ignore', 'pipe', 'ignore'] })
  const ended = once(child, 'exit').then(() => true)
  await Promise.race([once(child.stdout, 'data'), ended])
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, ANSWERS_WITHIN_MS, false)
  const answered = await Promise.race([ended, late])
  clearTimeout(timer)
  if (answered) return
  child.kill('SIGKILL')
  child.unref()
  child.stdout.destroy()
  throw unusable(`${path} has not answered within a second: is it on a mount that is away?`)
}

/** The stores that are files under this configuration. The others are on servers. */
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
    // SQLite creates and deletes files beside a database while another process has it open.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/**
 * The same directory with a temporary folder for this process alone. Removes the folders of processes that have ended.
 */
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

/** True if another process runs under this id. */
function isOther(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Removes the temporary files of a killed process. Only the holder of the directory's lock may call it. */
export async function clearTemporary({ temporary }: DataDirectory): Promise<void> {
  await rm(temporary, { recursive: true, force: true })
  await mkdir(temporary)
}
