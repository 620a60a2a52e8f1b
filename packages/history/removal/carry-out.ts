import type { Cached } from '#packages/content/media/media-cache.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams as streamNames } from '#packages/ports/ids.ts'
import type { Removed } from './record-removal.ts'

const ORGANIZATION = streamNames.organization('')

/** Drops what this process has cached for a URL or an organization, in memory and on disk. */
export type DropCached = (what: Cached) => Promise<void>

export type CarryOutPorts = { store: EventStore; dropCached: DropCached }

/** Streams at once: a store may remove them together. */
const AT_ONCE = 50

/**
 * Removes the streams that an event names, including those already removed. Drops the cached data of a forgotten
 * job's video before removing its stream: afterwards the URL is unknown. For an organization, also drops everything
 * that it downloaded, including downloads for metadata, which no event records. Repeat it after any failure.
 */
export async function carryOut(ports: CarryOutPorts, { data }: { data: Removed }): Promise<void> {
  for (let from = 0; from < data.streams.length; from += AT_ONCE) {
    const some = data.streams.slice(from, from + AT_ONCE)
    // What retention removes is older than any cache.
    if (data.reason === 'forgotten') await dropCachesOf(ports, some)
    await Promise.all(some.map((stream) => ports.store.remove(stream)))
  }
}

async function dropCachesOf({ store, dropCached }: CarryOutPorts, streams: readonly string[]): Promise<void> {
  const jobs = streams.filter((stream) => stream.startsWith('job-'))
  const urls = await Promise.all(jobs.map((stream) => urlsOf(store, stream)))
  for (const url of new Set(urls.flat())) await dropCached({ url })
  for (const organization of organizationsIn(streams)) await dropCached({ organization })
}

const organizationsIn = (names: readonly string[]): string[] =>
  names.flatMap((name) => (name.startsWith(ORGANIZATION) ? [name.slice(ORGANIZATION.length)] : []))

/** The requested URL, and the target of a short link. */
async function urlsOf(store: EventStore, stream: string): Promise<string[]> {
  const events = await store.read(stream)
  return events.flatMap((event) => {
    if (event.type === 'JobRequested') return [event.data.url]
    return event.type === 'VideoFetched' ? [event.data.canonicalUrl] : []
  })
}
