import { createHash } from 'node:crypto'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OnWait, SingleFlight } from '#packages/foundation/concurrency/single-flight.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Ids } from '#packages/ports/ids.ts'
import { type About, openShelf, removeFiles, removeOwned, type Shelf } from './cache-shelf.ts'
import { DownloadBudget, type Reservation } from './download-budget.ts'

/** A media file that exists until it is disposed of, alone in a directory that its user may write to. */
export type MediaFile = AsyncDisposable & {
  path: string
  bytes: number
  /** Facts from the source about the file, as the download returned them. */
  about: Record<string, string>
}

/**
 * Writes the whole file to `path`, each piece after `reserve` of its bytes has resolved, and fails with what
 * `reserve` throws. Calls `onWait` when it starts or stops waiting for its organization's share.
 * @returns what to keep about the file in addition to its bytes
 */
export type Download = (
  path: string,
  signal: AbortSignal,
  reserve: Reservation['reserve'],
  onWait: OnWait,
) => Promise<Record<string, string>>

export type MediaCacheOptions = {
  /** Shared by the caches of this machine. Created when missing, and may be emptied at any moment. */
  directory: string
  clock: Clock
  ids: Ids
  /** The most that finished files and this process's downloads under way may take together. Also the largest file. */
  maxBytes?: number
  /** Space that downloads leave free on the disk, bytes. Default: 1 GiB, or a twentieth of a disk below 20 GiB. */
  minFreeBytes?: number
  /** The age at which a file is downloaded again. */
  maxAgeSeconds?: number
}

export type MediaCache = {
  /**
   * The file of `key`, downloaded unless it is cached. Callers that use the same key at once share one download,
   * unless it waits for another organization's share. The download is aborted only when its last caller is. Every
   * caller that knows the key may use the file. When the cache is full, files of the owner with the most bytes are
   * evicted.
   * @param organization owner of the download; undefined: an operator
   * @throws what the download throws; StepError transient `internal_error` if the disk is full or other downloads
   *   leave no room, `media_too_large` for more than the whole cache; the signal's reason
   */
  use(key: string, download: Download, signal: AbortSignal, organization?: string): Promise<MediaFile>
  /** The bytes of the finished files when this process last looked, which is after each download. */
  readonly bytes: number
  /** Measures the files. */
  measure(): Promise<void>
  /** Removes finished files. Files in use stay with their users. */
  drop(what: Cached): Promise<void>
  /** Removes files that are too old. Otherwise only the next download removes them. */
  sweep(): Promise<void>
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The key of one URL in one format. It begins with the URL's own key, so that all formats of a URL are found. */
export const cacheKey = (canonicalUrl: string, format: string): string =>
  `${sha256(canonicalUrl)}-${sha256(format).slice(0, 32)}`

/** Everything cached for one canonical URL, in every format, or everything that one organization downloaded. */
export type Cached = { url: string } | { organization: string }

/** Removes finished files from the cache in a directory, even if no process has it open. */
export const dropMedia = (directory: string, what: Cached): Promise<void> =>
  'url' in what ? removeFiles(directory, `${sha256(what.url)}-`) : removeOwned(directory, what.organization)

const GIBIBYTE = 1024 ** 3
/** How often a file may vanish between its download and its use before `use` fails. */
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
      const known: About = { about, owner }
      await writeFile(join(work, 'about'), JSON.stringify(known))
      // the bytes are moved last: if they are there, the file is complete
      await rename(join(work, 'about'), shelf.aboutPath(key))
      await rename(join(work, 'media'), shelf.mediaPath(key))
      // from here on it counts as a finished file
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
  return {
    use,
    get bytes() {
      return shelf.bytes
    },
    measure: shelf.measure,
    drop: (what) => dropMedia(directory, what),
    sweep: shelf.sweep,
  }
}

/** A caller of `use`: the owner, and the signal that it no longer wants the file. */
type Wanted = { signal: AbortSignal; owner: string; onWait: OnWait }

/** Makes a hard link for the user, so that an eviction by any process does not remove the file. */
async function open(shelf: Shelf, key: string): Promise<MediaFile | undefined> {
  const directory = await shelf.workDirectory()
  const path = join(directory, 'media')
  const dispose = () => rm(directory, { recursive: true, force: true })
  try {
    await link(shelf.mediaPath(key), path)
    const { about } = JSON.parse(await readFile(shelf.aboutPath(key), 'utf8')) as About
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
