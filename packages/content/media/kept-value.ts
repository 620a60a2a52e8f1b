import { readFile, writeFile } from 'node:fs/promises'
import { cacheKey, type MediaCache } from './media-cache.ts'

/** Identifies a kept value. */
export type KeptName = { url: string; orgId: string; what: string }

/**
 * Returns a value that takes long to make, and keeps it as JSON for as long as the cache keeps media. Simultaneous
 * callers of the same value share one call of `make`.
 * @throws what `make` throws; the signal's reason
 */
export async function keptValue<T>(
  cache: MediaCache,
  { url, orgId, what }: KeptName,
  signal: AbortSignal,
  make: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const save = async (path: string, shared: AbortSignal, reserve: (bytes: number) => Promise<void>) => {
    const text = JSON.stringify(await make(shared))
    await reserve(Buffer.byteLength(text))
    await writeFile(path, text)
    return {}
  }
  await using file = await cache.use(cacheKey(url, `${what} of ${orgId}`), save, signal, orgId)
  return JSON.parse(await readFile(file.path, 'utf8')) as T
}
