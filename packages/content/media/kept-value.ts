import { readFile, writeFile } from 'node:fs/promises'
import type { OnWait } from '#packages/foundation/concurrency/single-flight.ts'
import { cacheKey, type Download, type MediaCache } from './media-cache.ts'

/**
 * Returns a value that takes long to make, and keeps it as JSON for as long as the cache keeps media. Simultaneous
 * callers of the same value share one call of `make`.
 * @param kept `url` and `what` identify the value; `organization`: of this caller
 * @throws what `make` throws; the signal's reason
 */
export async function keptValue<T>(
  cache: MediaCache,
  { url, what, organization }: { url: string; what: string; organization: string | undefined },
  signal: AbortSignal,
  make: (signal: AbortSignal, onWait: OnWait) => Promise<T>,
): Promise<T> {
  const save: Download = async (path, shared, reserve, onWait) => {
    const text = JSON.stringify(await make(shared, onWait))
    await reserve(Buffer.byteLength(text))
    await writeFile(path, text)
    return {}
  }
  await using file = await cache.use(cacheKey(url, what), save, signal, organization)
  return JSON.parse(await readFile(file.path, 'utf8')) as T
}
