import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { Recorded } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'

/** An event to be appended, of the newest version of its type. */
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
  /** Place in its stream, from 0, without gaps. */
  revision: number
  /** Place in the whole store; grows strictly, with gaps. A safe integer. */
  position: number
}

/** The end of the stream that an append expects: the revision of its last event, or `'no-stream'` when it has none. */
export type ExpectedRevision = number | 'no-stream'

/** Events for a stream, at least one, to be appended after exactly `expected`. */
export type StreamAppend = { stream: string; expected: ExpectedRevision; events: readonly NewEvent[] }

/** Where an append ends: the revision of its last event in the stream, and that event's position. */
export type Appended = { revision: number; position: number }

/** Revisions, both included. */
export type ReadOptions = { from?: number; to?: number }

/** A piece of the feed, in position order. */
export type FeedBatch = {
  events: StoredEvent[]
  /**
   * Everything up to and including this position has been read, events of other prefixes included. It is the position of
   * an event, of any prefix; a follower may begin after it. It moves past events of other prefixes when a store likes to:
   * with the next event of these prefixes, now and then in between, and always when the end of history is reached.
   */
  position: number
  /**
   * True from the end of history on, while no event of these prefixes is known to be missing. What was appended less
   * than a second ago, by this process too, may still be on its way.
   */
  caughtUp: boolean
}

export type FollowOptions = {
  /** Read the events after this position: one that this store has given, or 0, the beginning. */
  after: number
  /** Only streams whose name begins with one of these, such as `job-`. */
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
 * - Events are validated against their schema before they are appended: one that does not fit throws
 *   `InvalidEventError` and nothing is written. Events that are read are upcast: an unknown type or version throws
 *   `UnknownEventError`. Where a store can tell that an event is not what was written, it throws `DamagedEventsError`.
 *   Where it cannot, the event is validated at its stored version.
 * - Appended events stay as they were, also when the caller changes its objects later. Events that are read may be
 *   shared by all readers: nobody may change them.
 */
export interface EventStore extends AsyncDisposable {
  /** Identifies these events: the same for every process, also in a copy. Another store has another. */
  id(): Promise<string>

  /**
   * Why the events as a whole cannot be trusted: damage was found, or the store is an older copy than the one seen
   * before. One sentence for operators and callers, without addresses and secrets. Undefined while no such problem is
   * known. While it is set, nothing new is accepted and `/ready` says so.
   */
  integrityProblem(): string | undefined

  /**
   * Appends `events`, at least one (else RangeError), after exactly `expected`.
   *
   * Repeats: when the events right after `expected` have these ids, in this order, the call is a repeat. It succeeds,
   * writes nothing and answers as the first time, whatever the data. When only some of them are there, or others, it
   * throws {@link RevisionConflictError}. Elsewhere the same id may be used again.
   *
   * @throws RevisionConflictError the stream ends elsewhere; nothing was written
   * @throws StreamRemovedError the stream was removed
   * @throws AppendTooLargeError the encoded data of the events exceeds 1 MiB; nothing was written
   * Any other error leaves open whether the events were stored: repeat the identical call.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended>

  /**
   * Appends to several streams at once: all of it is stored, or nothing. Their events follow one another in the feed, in
   * the order of the appends. Missing where the store cannot.
   *
   * Each append is decided as by `append`. Where one is refused, its error is thrown, and nothing of the others is written.
   * They are a repeat only where each of them is: one that is there already while another is not is in conflict.
   * @returns for each append what `append` would return
   * @throws RangeError there are no appends, or two to one stream
   */
  appendTogether?(appends: readonly StreamAppend[]): Promise<readonly Appended[]>

  /**
   * The events of one stream from `from` (default 0) to `to` (default its end), both included, oldest first. None for a
   * stream that does not exist or was removed. A caller that knows from the answer to an append that the stream reaches
   * `to` should pass it: events up to there may be given from memory.
   */
  read(stream: string, options?: ReadOptions): Promise<StoredEvent[]>

  /** The same events, newest first, in pages, as far back as the caller iterates, such as to the last CreditsStated. */
  readBackwards(stream: string): AsyncIterable<StoredEvent>

  /**
   * The feed after a position: history first, then what is appended, by this process or another, without end. It
   * survives lost connections. A batch has at most 1,000 events and may have none: one always comes when the end is
   * reached, so an idle feed gives `caughtUp` once. A slow reader slows only itself down. A store on a server sends the
   * process events of these prefixes alone.
   */
  follow(options: FollowOptions): AsyncIterable<FeedBatch>

  /**
   * Removes a stream for ever (personal data). Later appends throw {@link StreamRemovedError}; followers skip it. A
   * stream that never was is removed as well. Removing it once more changes nothing and costs little. Some that are
   * removed at once may cost no more than one; all appends wait for them.
   */
  remove(stream: string): Promise<void>

  /** Whether the stream was removed: `read` gives nothing then, as for one that never was. */
  isRemoved(stream: string): Promise<boolean>

  /**
   * Gives up the events of a stream before a revision: reads begin at it. The store may delete them at any time; a
   * follower, and a reader of another process that holds them in memory, may see them until then. What is appended later
   * goes on as before. Nothing where the stream begins there already, or later, or was removed. A repeat of an append
   * that was given up either succeeds or is a conflict.
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

/** @returns the error of `truncate` where the stream has no event of this revision */
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
