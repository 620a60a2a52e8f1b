import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { inParallel } from '#packages/foundation/concurrency/in-parallel.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Ids } from '#packages/ports/ids.ts'

export type ShelfOptions = { directory: string; clock: Clock; ids: Ids; maxAgeSeconds: number }

/** The age from which a file is a leftover of a crash, milliseconds: a job's window is minutes. */
const LEFTOVER_AGE_MS = 60 * 60 * 1000

const ABOUT = '.about'

/** The most files to read at once. A full cache may have more files than the process may open. */
const READS_AT_ONCE = 16

/** The directory of finished files, and the directories for files that are being downloaded or used. */
export type Shelf = Awaited<ReturnType<typeof openShelf>>

/** Removes the finished files with keys that begin with `prefix`. */
export async function removeFiles(directory: string, prefix: string): Promise<void> {
  const files = join(directory, 'files')
  for (const name of await readdir(files).catch(() => []))
    if (name.startsWith(prefix)) await rm(join(files, name), { force: true })
}

/** Metadata beside a finished file. `owner`: the organization that downloaded it; empty: an operator. */
export type About = { about: Record<string, string>; owner: string }

/** Removes the finished files that an organization downloaded. */
export async function removeOwned(directory: string, owner: string): Promise<void> {
  const files = join(directory, 'files')
  for (const name of await readdir(files).catch(() => []))
    if (name.endsWith(ABOUT) && (await ownerOf(join(files, name))) === owner)
      await removeFiles(directory, name.slice(0, -ABOUT.length))
}

/** The owner of a file. Undefined if the file is gone, or a crash has left half of it. */
async function ownerOf(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '{}')
  try {
    return (JSON.parse(text) as Partial<About>).owner
  } catch {
    return undefined
  }
}

/** Opens the shelf, creates its directories and removes leftovers. */
export async function openShelf({ directory, clock, ids, maxAgeSeconds }: ShelfOptions) {
  const files = join(directory, 'files')
  const work = join(directory, 'work')
  const own = `${hostname()}.${process.pid}.`
  let bytes = 0

  const remove = async (key: string): Promise<void> => {
    await rm(join(files, `${key}.media`), { force: true })
    await rm(join(files, `${key}${ABOUT}`), { force: true })
  }
  const isFresh = (modifiedAt: number): boolean => clock.now() - modifiedAt <= maxAgeSeconds * 1000

  const withOwners = (listed: readonly Listed[]): Promise<Owned[]> =>
    inParallel(listed, READS_AT_ONCE, undefined, async (file) => ({
      ...file,
      owner: await ownerOf(join(files, `${file.key}${ABOUT}`)),
    }))

  /** Creates a new directory for one download or user. */
  const workDirectory = async (): Promise<string> => {
    const path = join(work, own + ids.uuid())
    await mkdir(files, { recursive: true })
    await mkdir(path, { recursive: true })
    return path
  }

  /**
   * Removes files that are too old. Then, until the rest fits into `maxBytes`, removes the least recently used file
   * of the owner with the most bytes, so that one owner cannot evict the files of others. `newest` stays.
   */
  const evict = async (maxBytes: number, newest?: string): Promise<void> => {
    const listed = (await listFiles(files)).filter(({ key }) => key !== newest)
    for (const { key } of listed.filter(({ modifiedAt }) => !isFresh(modifiedAt))) await remove(key)
    const fresh = listed.filter(({ modifiedAt }) => isFresh(modifiedAt)).sort((a, b) => a.usedAt - b.usedAt)
    const kept = newest === undefined ? undefined : await stat(join(files, `${newest}.media`)).catch(() => undefined)
    const room = maxBytes - (kept?.size ?? 0)
    const gone = new Set(bytesOf(fresh) > room ? surplus(await withOwners(fresh), room) : [])
    for (const key of gone) await remove(key)
    bytes = bytesOf(fresh.filter(({ key }) => !gone.has(key))) + (kept?.size ?? 0)
  }

  /** Removes files that are too old, including parts that a crash has left. */
  const sweep = async (): Promise<void> => {
    await evict(Number.POSITIVE_INFINITY)
    for (const name of await readdir(files).catch(() => [])) {
      const info = await stat(join(files, name)).catch(() => undefined)
      if (info !== undefined && !isFresh(info.mtimeMs)) await rm(join(files, name), { force: true })
    }
  }

  const measure = async (): Promise<void> => {
    bytes = bytesOf(await listFiles(files))
  }

  /**
   * Removes half of the bytes of the finished files, from the owners with the most. Files in use stay with their
   * users.
   * @returns whether there was anything to remove
   */
  const halve = async (): Promise<boolean> => {
    const bytes = bytesOf(await listFiles(files))
    if (bytes > 0) await evict(Math.floor(bytes / 2))
    return bytes > 0
  }

  await mkdir(files, { recursive: true })
  await mkdir(work, { recursive: true })
  for (const name of await readdir(work)) {
    if (await isLeftover(work, name, own, clock)) await rm(join(work, name), { recursive: true, force: true })
  }
  return {
    mediaPath: (key: string): string => join(files, `${key}.media`),
    aboutPath: (key: string): string => join(files, `${key}${ABOUT}`),
    now: (): Date => new Date(clock.now()),
    isFresh,
    workDirectory,
    evict,
    halve,
    sweep,
    measure,
    /** The bytes of the files at the last look. */
    get bytes(): number {
      return bytes
    },
  }
}

/** Whether a directory belongs to a dead process of this machine (or an earlier one with our id), or is too old. */
async function isLeftover(work: string, name: string, own: string, clock: Clock): Promise<boolean> {
  const [, host, pid] = /^(.*)\.(\d+)\.[^.]*$/.exec(name) ?? []
  if (name.startsWith(own)) return true
  if (host === hostname() && !isAlive(Number(pid))) return true
  const info = await stat(join(work, name)).catch(() => undefined)
  return info !== undefined && clock.now() - info.mtimeMs > LEFTOVER_AGE_MS
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

type Listed = { key: string; bytes: number; modifiedAt: number; usedAt: number }

type Owned = Listed & { owner: string | undefined }

/** The files to remove so that the rest takes at most `room` bytes. @param files the least recently used first */
function surplus(files: readonly Owned[], room: number): string[] {
  const shares = [...Map.groupBy(files, ({ owner }) => owner).values()].map((own) => ({
    bytes: bytesOf(own),
    own: [...own],
  }))
  const gone: string[] = []
  for (let bytes = bytesOf(files); bytes > room; ) {
    const most = shares.reduce((a, b) => (b.bytes > a.bytes ? b : a))
    const file = most.own.shift()
    if (file === undefined) break
    gone.push(file.key)
    most.bytes -= file.bytes
    bytes -= file.bytes
  }
  return gone
}

const bytesOf = (files: readonly Listed[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0)

async function listFiles(files: string): Promise<Listed[]> {
  const names = await readdir(files).catch(() => [])
  const found = await Promise.all(
    names
      .filter((name) => name.endsWith('.media'))
      .map(async (name): Promise<Listed[]> => {
        // another process may have removed it since
        const info = await stat(join(files, name)).catch(() => undefined)
        if (!info) return []
        const key = name.slice(0, -'.media'.length)
        return [{ key, bytes: info.size, modifiedAt: info.mtimeMs, usedAt: info.atimeMs }]
      }),
  )
  return found.flat()
}
