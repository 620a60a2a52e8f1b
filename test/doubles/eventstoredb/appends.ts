import { decideAppend } from '#packages/adapters/append-decision.ts'
import type { EventLog, ProposedEvent, StreamState } from './event-log.ts'
import { maxAppendBytes } from './failures.ts'

export type Expected = number | 'no-stream' | 'any' | 'stream-exists'
export type Append = { stream: string; expected: Expected; events: readonly ProposedEvent[] }

export type AppendOutcome =
  /** Has no position if it repeats events that were truncated since. */
  | { kind: 'appended'; revision: number; position?: number }
  /** `actual` is -1 if there is no stream. */
  | { kind: 'wrong-version'; actual: number }
  | { kind: 'stream-deleted' }
  | { kind: 'too-large' }
  | { kind: 'bad-request' }

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** How many ids the server remembers, until its restart, for appends without an exact revision. */
const rememberedIds = 100_000

const revisionAfter = (expected: number | 'no-stream'): number => (expected === 'no-stream' ? 0 : expected + 1)

/** Decides appends as the real server does, and writes those that arrive together in one transaction. */
export class Appends {
  readonly #log: EventLog
  readonly #waiting: { append: Append; answer: (outcome: AppendOutcome) => void }[] = []
  /** Revisions by stream and id. Lost with the process, as in the real server. */
  readonly #remembered = new Map<string, number>()

  constructor(log: EventLog) {
    this.#log = log
  }

  run(append: Append): Promise<AppendOutcome> {
    return new Promise((resolve) => {
      this.#waiting.push({ append, answer: resolve })
      if (this.#waiting.length === 1) setImmediate(() => this.#flush())
    })
  }

  #flush(): void {
    const batch = this.#waiting.splice(0)
    const outcomes: AppendOutcome[] = []
    this.#log.transaction(() => {
      for (const { append } of batch) outcomes.push(this.#decide(append))
    })
    batch.forEach(({ answer }, index) => {
      answer(outcomes[index] as AppendOutcome)
    })
  }

  #decide(append: Append): AppendOutcome {
    const { stream, events } = append
    if (stream === '' || events.some(({ id, type }) => type === '' || !uuid.test(id))) return { kind: 'bad-request' }
    if (events.reduce((sum, { data }) => sum + data.length, 0) > maxAppendBytes) return { kind: 'too-large' }
    const state = this.#log.stream(stream)
    const owner = stream.startsWith('$$') ? this.#log.stream(stream.slice(2)) : state
    if (state.state === 'tombstoned' || owner.state === 'tombstoned') return { kind: 'stream-deleted' }
    if (append.expected === 'any' || append.expected === 'stream-exists') return this.#decideLoosely(append, state)
    return this.#decideExactly(append, append.expected, state)
  }

  #decideExactly({ stream, events }: Append, expected: number | 'no-stream', state: StreamState): AppendOutcome {
    // A deleted stream counts as missing, but its revisions continue after its last one.
    const asked =
      state.state === 'deleted' && expected === 'no-stream' ? this.#endOfDeleted(stream, events, state) : expected
    const idsFrom = (from: number, count: number) => this.#log.ids(stream, from, count).map(({ id }) => id)
    const ids = events.map(({ id }) => id)
    const decision = decideAppend({ last: state.last, idsFrom }, asked, ids)
    if (decision.kind === 'conflict' && this.#isRemembered(stream, expected, ids))
      return this.#repeated(stream, revisionAfter(expected) + ids.length - 1)
    if (decision.kind === 'conflict') return { kind: 'wrong-version', actual: state.last }
    if (decision.kind === 'write') return this.#write({ stream, expected, events }, state)
    return this.#repeated(stream, decision.revision)
  }

  /** The server still knows events that a scavenge has removed while it has their ids in memory. */
  #isRemembered(stream: string, expected: number | 'no-stream', ids: readonly string[]): boolean {
    const first = revisionAfter(expected)
    return ids.length > 0 && ids.every((id, index) => this.#remembered.get(`${stream}/${id}`) === first + index)
  }

  /**
   * The server recognizes a repeat of a deleted stream's first events until they are scavenged. After that the append
   * counts as new.
   */
  #endOfDeleted(stream: string, events: Append['events'], { last }: StreamState): number | 'no-stream' {
    const stored = this.#log.ids(stream, 0, events.length)
    const isRepeat = events.every(({ id }, index) => stored[index]?.id === id)
    return isRepeat && !stored.some(({ position }) => this.#log.isScavenged(position)) ? 'no-stream' : last
  }

  /** ANY and STREAM_EXISTS: only the ids in memory identify a repeat. */
  #decideLoosely(append: Append, state: StreamState): AppendOutcome {
    const { stream, expected, events } = append
    if (expected === 'stream-exists' && state.state === 'deleted') return { kind: 'stream-deleted' }
    if (expected === 'stream-exists' && state.state === 'missing') return { kind: 'wrong-version', actual: -1 }
    const first = this.#remembered.get(`${stream}/${events[0]?.id}`)
    if (first === undefined) return this.#write(append, state)
    const stored = this.#log.ids(stream, first, events.length)
    if (events.some(({ id }, index) => stored[index]?.id !== id)) return { kind: 'wrong-version', actual: state.last }
    return this.#repeated(stream, first + events.length - 1)
  }

  #repeated(stream: string, revision: number): AppendOutcome {
    const position = this.#log.ids(stream, revision, 1)[0]?.position
    const isReadable = revision >= this.#log.stream(stream).first
    return { kind: 'appended', revision, ...(isReadable && position !== undefined && { position }) }
  }

  #write({ stream, events }: Append, { last }: StreamState): AppendOutcome {
    const position = this.#log.write(stream, events)
    events.forEach(({ id }, index) => {
      const key = `${stream}/${id}`
      if (!this.#remembered.has(key)) this.#remembered.set(key, last + 1 + index)
    })
    for (const key of this.#remembered.keys()) {
      if (this.#remembered.size <= rememberedIds) break
      this.#remembered.delete(key)
    }
    return { kind: 'appended', revision: Math.max(0, last + events.length), position }
  }
}
