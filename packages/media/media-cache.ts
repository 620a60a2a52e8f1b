import { createHash } from 'node:crypto'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StepError } from '#packages/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Ids } from '#packages/ports/ids.ts'
import { type OnWait, SingleFlight } from '#packages/work/single-flight.ts'
import { openShelf, type Shelf } from './cache-shelf.ts'
import { DownloadBudget, type Reservation } from './download-budget.ts'

/** A media file that is there until it is disposed of, alone in a directory that its user may write to. */
export type MediaFile = AsyncDisposable & {
  path: string
  bytes: number
  /** What the source said about the file besides its bytes, as the download returned it. */
  about: Record<string, string>
}

/**
 * Writes the whole file to `path`, each piece after `reserve` of its bytes has resolved; what that throws ends it.
 * `onWait` is to be told when it waits for the share of its organization.
 * @returns what is worth keeping besides the bytes
 */
export type Download = (
  path: string,
  signal: AbortSignal,
  reserve: Reservation['reserve'],
  onWait: OnWait,
) => Promise<Record<string, string>>

export type MediaCacheOptions = {
  /** Belongs to the caches of this machine; created when missing, and may be emptied by anybody at any moment. */
  directory: string
  clock: Clock
  ids: Ids
  /** What finished files and this process's downloads under way may take together: the largest file there can be. */
  maxBytes?: number
  /** The disk's space that downloads leave to others; by default 1 GiB, or a twentieth of a disk below 20 GiB. */
  minFreeBytes?: number
  /** After this a file is downloaded anew. */
  maxAgeSeconds?: number
}

export type MediaCache = {
  /**
   * The file of `key`, downloaded unless it is there. Users that ask for the same key at the same time share one
   * download, which is aborted only when the last of them is, unless it waits for another organization's share. Files are for all who know their key. Where room is wanted, who has the most in the cache gives way.
   * @param organization whose the download is; undefined: an operator's
   * @throws what the download throws; StepError transient `internal_error` when the disk is full or other downloads
   * leave no room, `media_too_large` for more than the whole cache; the signal's reason
   */
  use(key: string, download: Download, signal: AbortSignal, organization?: string): Promise<MediaFile>
}

/** What is kept of one URL in one format. */
export const cacheKey = (canonicalUrl: string, format: string): string =>
  createHash('sha256')
    .update(JSON.stringify([canonicalUrl, format]))
    .digest('hex')

const GIBIBYTE = 1024 ** 3
/** How often a file may vanish between its download and its use before we stop. */
const ATTEMPTS = 3

/** Opens the cache and removes what crashed processes of this machine left in it. */
export async function openMediaCache(options: MediaCacheOptions): Promise<MediaCache> {
  const { directory, maxBytes = 8 * GIBIBYTE, minFreeBytes, maxAgeSeconds = 3600 } = options
  const shelf = await openShelf({ ...options, maxAgeSeconds })
  const budget = new DownloadBudget({ directory, shelf, maxBytes, minFreeBytes })
  const downloads = new SingleFlight()

  const fetchInto = async (key: string, download: Download, { signal, owner, onWait }: Wanted): Promise<void> => {
    const work = await shelf.workDirectory()
    let reservation: Reservation | undefined
    try {
      reservation = await budget.begin(owner)
      const about = await download(join(work, 'media'), signal, reservation.reserve, onWait)
      await writeFile(join(work, 'about'), JSON.stringify(about))
      // the bytes come last: where they are, the file is complete
      await rename(join(work, 'about'), shelf.aboutPath(key))
      await rename(join(work, 'media'), shelf.mediaPath(key))
      shelf.belongs(key, owner)
      // from here on it counts among the finished
      reservation.release()
      await shelf.evict(budget.left, key)
    } catch (error) {
      throw await diskFull(error, shelf)
    } finally {
      await rm(work, { recursive: true, force: true })
      reservation?.release()
    }
  }

  const use: MediaCache['use'] = async (key, download, signal, organization) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      signal.throwIfAborted()
      const file = await open(shelf, key)
      if (file) return file
      const owner = organization ?? ''
      await downloads.run(key, { signal, organization }, (shared, onWait) =>
        fetchInto(key, download, { signal: shared, owner, onWait }),
      )
    }
    throw new StepError('internal_error', { transient: true, message: 'The media cache loses its files.' })
  }
  return { use }
}

/** Whose a download is, and until when it is wanted. */
type Wanted = { signal: AbortSignal; owner: string; onWait: OnWait }

/** A hard link of one's own: eviction by this or any other process does not take the file away from its user. */
async function open(shelf: Shelf, key: string): Promise<MediaFile | undefined> {
  const directory = await shelf.workDirectory()
  const path = join(directory, 'media')
  const dispose = () => rm(directory, { recursive: true, force: true })
  try {
    await link(shelf.mediaPath(key), path)
    const about = JSON.parse(await readFile(shelf.aboutPath(key), 'utf8')) as Record<string, string>
    const { size, mtime, mtimeMs } = await stat(path)
    if (shelf.isFresh(mtimeMs)) {
      await utimes(path, shelf.now(), mtime)
      return { path, bytes: size, about, [Symbol.asyncDispose]: dispose }
    }
  } catch (error) {
    if (!isMissing(error)) {
      await dispose()
      throw error
    }
  }
  await dispose()
  return undefined
}

async function diskFull(error: unknown, shelf: Shelf): Promise<unknown> {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error
  await shelf.halve()
  return new StepError('internal_error', {
    transient: true,
    message: 'The disk of the media cache is full.',
    cause: error,
  })
}

const isMissing = (error: unknown): boolean =>
  (error instanceof Error && 'code' in error && error.code === 'ENOENT') || error instanceof SyntaxError
