import { randomUUID } from 'node:crypto'
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js'
import type { EventLog, LoggedEvent } from './event-log.ts'
import { consumerTooSlow, handlerThrew, isEndOfTime, streamDeleted } from './failures.ts'
import { caughtUpMessage, checkpointMessage, confirmationMessage, eventMessage, streamName } from './messages.ts'
import type { Outlet } from './outlet.ts'

/** Events that are examined at once if the client sets no search window, and the reach of one checkpoint interval. */
const defaultWindow = 32
/** The most live events that may wait for a slow reader. */
const liveBuffer = 32
const pageEvents = 500

type Filter = { matches: (event: LoggedEvent) => boolean; window: number; interval: number }

const everything: Filter = { matches: () => true, window: pageEvents, interval: Number.POSITIVE_INFINITY }

/** @throws Refusal if the regular expression is invalid */
function filterOf(options: ReadReq.Options.FilterOptions | undefined): Filter {
  if (options === undefined) return everything
  const expression = options.getStreamIdentifier() ?? options.getEventType()
  const text = (event: LoggedEvent): string => (options.hasEventType() ? event.type : event.stream)
  const prefixes = expression?.getPrefixList() ?? []
  const regex = prefixes.length > 0 ? undefined : regexOf(expression?.getRegex() ?? '')
  return {
    matches: (event) => regex?.test(text(event)) ?? prefixes.some((prefix) => text(event).startsWith(prefix)),
    window: options.getMax() || defaultWindow,
    interval: options.getCheckpointintervalmultiplier(),
  }
}

function regexOf(source: string): RegExp {
  try {
    return new RegExp(source)
  } catch {
    throw handlerThrew()
  }
}

/**
 * Everything after a position, then what is appended. While it reads history, the real server pauses after each window
 * of examined events. Before every `interval`-th window it sends a checkpoint.
 * @param emptyCheckpoint see EventStoreDoubleOptions
 */
export async function subscribeToAll(
  log: EventLog,
  from: ReadReq.Options.AllOptions,
  options: ReadReq.Options.FilterOptions | undefined,
  outlet: Outlet,
  emptyCheckpoint: string | undefined,
): Promise<void> {
  const filter = filterOf(options)
  const given = from.getPosition()?.getCommitPosition()
  let position = from.hasEnd() ? (log.backwards(Number.MAX_SAFE_INTEGER, 1)[0]?.position ?? 0) : Number(given ?? 0)
  if (given !== undefined && !log.canReadFrom(position)) throw handlerThrew()
  // Like the real server: if the record at the position has been removed, it skips the first one after it.
  if (given !== undefined && log.isScavenged(position) && !log.stands(position))
    position = log.forwards(position, 1)[0]?.position ?? position
  await outlet.send(confirmationMessage(randomUUID()))
  let windows = 0
  let isEmpty = options !== undefined && given === undefined && !from.hasEnd()
  while (!outlet.closed) {
    const page = log.forwards(position + 1, filter.window)
    if (page.length < filter.window && page.length === 0) break
    if (++windows % filter.interval === 0) await outlet.send(checkpointMessage(position))
    const found = page.filter(filter.matches)
    isEmpty &&= found.length === 0
    for (const event of found) await outlet.send(eventMessage(event))
    position = page.at(-1)?.position ?? position
  }
  if (isEmpty && emptyCheckpoint !== undefined) await outlet.send(checkpointMessage(emptyCheckpoint))
  await outlet.send(caughtUpMessage())
  await follow(log, outlet, liveReader(log, position, filter, outlet))
}

/** Sends the events appended since the last call, and a checkpoint after each interval of examined events. */
function liveReader(log: EventLog, after: number, filter: Filter, outlet: Outlet): () => number {
  let position = after
  let looked = 0
  return () => {
    const page = log.forwards(position + 1, pageEvents)
    for (const event of page) {
      position = event.position
      if (filter.matches(event)) outlet.sendNow(eventMessage(event))
      looked++
      if (looked % (filter.window * filter.interval) === 0) outlet.sendNow(checkpointMessage(position))
    }
    return page.length
  }
}

/** Waits for appends, and drops a reader that has too many of them waiting. */
async function follow(log: EventLog, outlet: Outlet, sendNew: () => number): Promise<void> {
  while (!outlet.closed) {
    if (sendNew() === 0) await log.appended.wait(outlet.signal)
    const { drained } = outlet
    if (drained !== undefined) await drainedInTime(log, outlet, drained)
  }
}

async function drainedInTime(log: EventLog, outlet: Outlet, drained: Promise<void>): Promise<void> {
  let free = false
  const freed = drained.then(() => {
    free = true
  })
  for (let missed = 0; !free && !outlet.closed; missed++) {
    if (missed > liveBuffer) throw consumerTooSlow()
    const waiting = new AbortController()
    await Promise.race([freed, log.appended.wait(AbortSignal.any([waiting.signal, outlet.signal]))])
    waiting.abort()
  }
}

export async function subscribeToStream(
  log: EventLog,
  from: ReadReq.Options.StreamOptions,
  outlet: Outlet,
): Promise<void> {
  const name = streamName(from.getStreamIdentifier())
  const { state, last } = log.stream(name)
  if (state === 'tombstoned') throw streamDeleted(name)
  const atEnd = from.hasEnd() || (from.hasRevision() && isEndOfTime(from.getRevision()))
  let revision = atEnd ? last : from.hasRevision() ? Number(from.getRevision()) : -1
  await outlet.send(confirmationMessage(randomUUID()))
  let saidCaughtUp = false
  const sendNew = (): number => {
    const stream = log.stream(name)
    const page = log.ofStream(name, Math.max(revision + 1, stream.first), Number.MAX_SAFE_INTEGER, 'ASC', pageEvents)
    for (const event of page) outlet.sendNow(eventMessage(event))
    revision = Number(page.at(-1)?.revision ?? revision)
    // As in the recordings, a stream that does not exist yet gets no caughtUp.
    if (!saidCaughtUp && page.length < pageEvents && stream.state !== 'missing') {
      saidCaughtUp = true
      outlet.sendNow(caughtUpMessage())
    }
    if (stream.state !== 'tombstoned') return page.length
    const tombstone = log.tombstoneOf(name)
    if (tombstone !== undefined) outlet.sendNow(eventMessage(tombstone))
    throw streamDeleted(name)
  }
  await follow(log, outlet, sendNew)
}
