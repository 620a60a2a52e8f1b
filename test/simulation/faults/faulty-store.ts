import type {
  EventStore,
  ExpectedRevision,
  FeedBatch,
  FollowOptions,
  NewEvent,
  StreamAppend,
} from '#packages/ports/event-store.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import type { Line } from './line.ts'

/**
 * A store reports only at intervals to its followers that it has moved past events of others: here, after this many.
 */
const TOLD_OF_OTHERS = 20

/**
 * The event store as one simulated process reaches it: the memory adapter behind a `Line`, which draws delays, failures
 * and crashes from the seed. (Tests that choose which call fails use `ScriptedStore` in test/doubles.)
 */
export function faultyStore(line: Line): EventStore {
  const { world, life } = line
  const inner = new MemoryEventStore({ clock: world.storeClock, events: world.events, codec: world.codec })

  async function* follow(options: FollowOptions): AsyncIterable<FeedBatch> {
    const end = new AbortController()
    const over = (): void => end.abort()
    for (const signal of [options.signal, life.death.signal]) signal.addEventListener('abort', over, { once: true })
    if (options.signal.aborted) over()
    let caughtUp = false
    let withheld = 0
    try {
      for await (const batch of inner.follow({ ...options, signal: end.signal })) {
        const isOfOthers = batch.events.length === 0 && batch.caughtUp === caughtUp
        if (isOfOthers && ++withheld % TOLD_OF_OTHERS !== 0) continue
        caughtUp = batch.caughtUp
        for (const piece of pieces(batch, line)) {
          await line.arrival(delay(line))
          if (options.signal.aborted) return
          yield piece
        }
      }
    } finally {
      options.signal.removeEventListener('abort', over)
    }
    // The follower of a dead process gets no answer, not even the end of the feed.
    if (!life.alive) await new Promise(() => {})
  }

  return {
    id: () => inner.id(),
    integrityProblem: () => inner.integrityProblem(),
    append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]) {
      const what = `appends ${events.map(({ type }) => type).join(', ')} to ${stream} at ${expected}`
      return line.call('append', what, () => inner.append(stream, expected, events))
    },
    ...(world.settings.appendsTogether && {
      appendTogether(appends: readonly StreamAppend[]) {
        const what = appends.map(({ stream, events }) => `${events.map(({ type }) => type).join(', ')} to ${stream}`)
        return line.call('append', `appends together ${what.join('; ')}`, () => inner.appendTogether(appends))
      },
    }),
    read: (stream, options) => line.call('read', `reads ${stream}`, () => inner.read(stream, options)),
    async *readBackwards(stream) {
      const read = async () => Array.fromAsync(inner.readBackwards(stream))
      yield* await line.call('read', `reads ${stream} backwards`, read)
    },
    follow,
    remove: (stream) =>
      line.call('append', `removes ${stream}`, () => {
        world.record.noteRemoved(stream)
        return inner.remove(stream)
      }),
    isRemoved: (stream) => line.call('read', `asks whether ${stream} was removed`, () => inner.isRemoved(stream)),
    truncate: (stream, before) =>
      line.call('append', `truncates ${stream} before ${before}`, () => {
        world.record.truncated.add(stream)
        return inner.truncate(stream, before)
      }),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  }
}

/** How long a batch is under way, milliseconds. It is long if the connection was lost. */
function delay({ random, world, life }: Line): number {
  if (!world.faults.strikes('feed delayed', random)) return random.chance(0.5) ? 0 : random.between(1, 8)
  const ms = random.pick([100, 1000, 3000, 8000])
  world.trace.add(life.name, `the feed is interrupted for ${ms} ms`)
  world.record.hinder(life.name, ms)
  return ms
}

/** A feed may be cut anywhere. */
function pieces(batch: FeedBatch, { random }: Line): FeedBatch[] {
  if (batch.events.length < 2 || random.chance(0.7)) return [batch]
  const cut = random.between(1, batch.events.length - 1)
  const first = batch.events.slice(0, cut)
  const position = first.at(-1)?.position ?? 0
  return [
    { events: first, position, caughtUp: false },
    { ...batch, events: batch.events.slice(cut) },
  ]
}
