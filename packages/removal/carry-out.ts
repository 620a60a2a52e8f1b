import type { Cached } from '#packages/media/media-cache.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams as streamNames } from '#packages/ports/ids.ts'
import type { Removed } from './record-removal.ts'

const ORGANIZATION = streamNames.organization('')

/** Drops what this process can reach of what was cached for a URL or an organization, in memory and on disk. */
export type DropCached = (what: Cached) => Promise<void>

export type CarryOutPorts = { store: EventStore; dropCached: DropCached }

/** Streams at once: a store may remove them together. */
const AT_ONCE = 50

/**
 * Removes the streams that an event names, those that were removed already among them. Before a forgotten job's stream is
 * gone, what was cached of its video is dropped: afterwards nobody knows its URL. With an organization goes what it had
 * downloaded, also for metadata, of which no event tells. To be repeated after any failure.
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

/** The URL that was asked for, and the one that a short link led to. */
async function urlsOf(store: EventStore, stream: string): Promise<string[]> {
  const events = await store.read(stream)
  return events.flatMap((event) => {
    if (event.type === 'JobRequested') return [event.data.url]
    return event.type === 'VideoFetched' ? [event.data.canonicalUrl] : []
  })
}
