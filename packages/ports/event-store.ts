import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { Recorded } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'

/** An event to append, of the newest version of its type. */
export type NewEvent<E extends DomainEvent = DomainEvent> = E & {
  /** UUID. The store recognizes a repeated append by it; see {@link EventStore.append}. */
  id: string
  metadata: EventMetadata
}

/** An event as it was stored, upcast to the newest version of its type. */
export type StoredEvent<E extends DomainEvent = DomainEvent> = Recorded<E> & {
  id: string
  metadata: EventMetadata
  stream: string
  /** Number in its stream, from 0, without gaps. */
  revision: number
  /** Number in the whole store: strictly increasing, with gaps. A safe integer. */
  position: number
}

/** The end of the stream that an append expects: the revision of its last event, or `'no-stream'` if it has none. */
export type ExpectedRevision = number | 'no-stream'

/** Events for a stream, at least one, to append after exactly `expected`. */
export type StreamAppend = { stream: string; expected: ExpectedRevision; events: readonly NewEvent[] }

/** The end of an append: the revision of its last event in the stream, and that event's position. */
export type Appended = { revision: number; position: number }

/** Revisions, both included. */
export type ReadOptions = { from?: number; to?: number }

/** A piece of the feed, in position order. */
export type FeedBatch = {
  events: StoredEvent[]
  /**
   * Everything up to and including this position has been read, including events of other prefixes. It is the position
   * of an event with any prefix, and a follower may begin after it. It moves past events of other prefixes with the
   * next matching event and at the end of history. In between it moves whenever the store chooses.
   */
  position: number
  /**
   * True from the end of history on, while no event of these prefixes is known to be missing. Events appended less than
   * a second ago, by this process too, may not have arrived yet.
   */
  caughtUp: boolean
}

export type FollowOptions = {
  /** Read the events after this position: one that this store has given out, or 0 for the beginning. */
  after: number
  /** Read only streams that begin with one of these prefixes, such as `job-`. */
  prefixes: readonly string[]
  /** Ends the iteration without an error. */
  signal: AbortSignal
}

/**
 * The only truth: streams of events, and one ordered feed of all of them.
 *
 * Guarantees, the same for every adapter (see `event-store.contract.ts`):
 * - An append is atomic and durable before it is answered. Readers see all of its events or none.
 * - The feed shows every event exactly once, in position order, and never one with a smaller position later.
 * - Events are validated against their schema before they are appended. If one does not fit, `InvalidEventError` is
 *   thrown and nothing is written. Events are upcast when they are read; an unknown type or version throws
 *   `UnknownEventError`. A store that can detect that an event is not what was written throws `DamagedEventsError`. A
 *   store that cannot validates the event at its stored version.
 * - Appended events stay as they were, even if the caller changes its objects later. All readers may share the events
 *   that are read, so do not change them.
 */
export interface EventStore extends AsyncDisposable {
  /** Identifies these events: the same for every process and in a copy, different in another store. */
  id(): Promise<string>

  /**
   * Why the events as a whole cannot be trusted: damage was found, or the store is older than the one seen before. One
   * sentence for operators and callers, without addresses and secrets. Undefined while no such problem is known. While
   * it is set, nothing new is accepted and `/ready` reports it.
   */
  integrityProblem(): string | undefined

  /**
   * Appends `events`, at least one (else RangeError), after exactly `expected`.
   *
   * Repeats: if the events right after `expected` have these ids, in this order, the call is a repeat. It succeeds,
   * writes nothing and gives the first answer, whatever the data. If only some of them are there, or others, it throws
   * {@link RevisionConflictError}. At other places the same id may be used again.
   *
   * @throws RevisionConflictError the stream ends elsewhere; nothing was written
   * @throws StreamRemovedError the stream was removed
   * @throws AppendTooLargeError the encoded data of the events exceeds 1 MiB; nothing was written
   * After any other error, the events may be stored or not: repeat the identical call.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended>

  /**
   * Appends to several streams at once: everything is stored, or nothing. The events follow one another in the feed, in
   * the order of the appends. Missing if the store cannot do that.
   *
   * Each append is decided as by `append`. If one is refused, its error is thrown and nothing is written. The call is a
   * repeat only if every append is. If one is stored already and another is not, the stored one is in conflict.
   * @returns for each append what `append` would return
   * @throws RangeError there are no appends, or two to one stream
   */
  appendTogether?(appends: readonly StreamAppend[]): Promise<readonly Appended[]>

  /**
   * The events of one stream from `from` (default 0) to `to` (default its end), both included, oldest first. None if
   * the stream does not exist or was removed. A caller that knows from an append that the stream reaches `to` should
   * pass it: then events may come from memory.
   */
  read(stream: string, options?: ReadOptions): Promise<StoredEvent[]>

  /**
   * The events of one stream, newest first, in pages, as far back as the caller iterates, such as to the last
   * CreditsStated.
   */
  readBackwards(stream: string): AsyncIterable<StoredEvent>

  /**
   * The feed after a position: history first, then new events of this process or another, without end. It survives lost
   * connections. A batch has at most 1,000 events and may have none. One batch always arrives when the end is reached,
   * so an idle feed reports `caughtUp` once. A slow reader delays only itself. A store on a server sends the process
   * only events of these prefixes.
   */
  follow(options: FollowOptions): AsyncIterable<FeedBatch>

  /**
   * Removes a stream permanently (personal data). Later appends throw {@link StreamRemovedError}; followers skip the
   * stream. A stream that never existed can be removed as well. Removing it again changes nothing and costs little.
   * Several removals at once may cost no more than one. All appends wait for a removal.
   */
  remove(stream: string): Promise<void>

  /** Whether the stream was removed. `read` cannot tell: it also returns nothing for a stream that never existed. */
  isRemoved(stream: string): Promise<boolean>

  /**
   * Gives up the events of a stream before a revision: reads begin there. The store may delete them at any time. Until
   * then, followers may still see them, and so may other processes that hold them in memory. Later appends continue as
   * before. Does nothing if the stream begins there already, or later, or was removed. A repeat of a truncated append
   * either succeeds or conflicts.
   * @throws RangeError the stream has no event of this revision
   */
  truncate(stream: string, before: number): Promise<void>
}

export class RevisionConflictError extends Error {
  readonly code = 'revision_conflict'
  readonly stream: string
  readonly expected: ExpectedRevision
  readonly actual: ExpectedRevision
  constructor(stream: string, expected: ExpectedRevision, actual: ExpectedRevision) {
    super(`${stream} is at ${actual}, not at ${expected}`)
    this.stream = stream
    this.expected = expected
    this.actual = actual
  }
}

export class StreamRemovedError extends Error {
  readonly code = 'stream_removed'
  readonly stream: string
  constructor(stream: string) {
    super(`${stream} was removed`)
    this.stream = stream
  }
}

/** @throws RangeError there are no appends, or two to one stream */
export function assertTogether(appends: readonly StreamAppend[]): void {
  if (appends.length === 0) throw new RangeError('there is nothing to append')
  const names = new Set(appends.map(({ stream }) => stream))
  if (names.size < appends.length) throw new RangeError('a stream is named twice in one append')
}

/** @returns the error of `truncate` if the stream has no event of this revision */
export const noSuchRevision = (stream: string, revision: number): RangeError =>
  new RangeError(`${stream} has no event of revision ${revision}`)

export class AppendTooLargeError extends Error {
  readonly code = 'append_too_large'
  constructor(stream: string, bytes: number) {
    super(`an append of ${bytes} bytes to ${stream} exceeds 1 MiB`)
  }
}

export class InvalidEventError extends Error {
  readonly code = 'invalid_event'
  constructor(type: string, reason: string) {
    super(`${type} does not fit its schema: ${reason}`)
  }
}

export class UnknownEventError extends Error {
  readonly code = 'unknown_event'
  constructor(type: string, version: number, reason = 'this program is older than what it reads') {
    super(`no schema is known for ${type} version ${version}: ${reason}`)
  }
}
