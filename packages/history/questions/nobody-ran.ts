import type { resultTypes, Step } from '#packages/domain/job/events.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { NobodyRan } from './attempts.ts'
import type { HistoryStore } from './history-store.ts'

/** A free worker takes a step within a second or two, so a longer wait than this means that none was running. */
export const TAKEN_WITHIN_MS = 10_000

/** A time in which an attempt was at work, milliseconds since 1970. */
type Span = { step: Step; from: number; to: number }

const stepOf: Record<(typeof resultTypes)[number], Step> = {
  VideoFetched: 'fetch',
  CaptionsRead: 'caption',
  CaptionsUnavailable: 'caption',
  SpeechTranscribed: 'speech-to-text',
  ExtractionProduced: 'extract',
}

const isResult = (type: string): type is keyof typeof stepOf => Object.hasOwn(stepOf, type)

/**
 * Finds the times in which no worker was running: a step was due for longer than a free worker would have left it, and
 * no job had an attempt at it in progress. The events of all jobs show what workers have done.
 */
export class RunningWorkers {
  readonly #from: number
  readonly #open = new Map<string, Span & { leaseEndsAt: number }>()
  readonly #spans: Span[] = []
  /** Jobs that were read from their beginning. In them a result without an attempt is a copy of another job's. */
  readonly #begun = new Set<string>()

  /** @param from the time of the first event, milliseconds since 1970. Attempts that began earlier count from here */
  constructor(from: number) {
    this.#from = from
  }

  /** @param event the next one of its stream */
  take(event: StoredEvent): void {
    const { type, data, stream, recordedAt } = event
    if (type === 'JobRequested') this.#begun.add(stream)
    else if (type === 'StepStarted') {
      this.#close(stream)
      this.#sign(stream, { step: data.step, from: recordedAt, at: recordedAt, leaseSeconds: data.leaseSeconds })
    } else if (type === 'LeaseExtended') {
      const from = this.#open.get(stream)?.from ?? this.#from
      this.#sign(stream, { step: data.step, from, at: recordedAt, leaseSeconds: data.leaseSeconds })
    } else if (type === 'StepFailed') this.#end(stream, data.step, recordedAt)
    else if (isResult(type)) this.#end(stream, stepOf[type], recordedAt)
    else if (type === 'JobFailed') this.#cut(stream, recordedAt)
  }

  /** @param now milliseconds since 1970 */
  nobodyRan(now: number): NobodyRan {
    const open = [...this.#open.values()].map((span) => ({ ...span, to: Math.min(span.leaseEndsAt, now) }))
    const spans = [...this.#spans, ...open].sort((one, other) => one.from - other.from)
    return ({ step, from, to }) => {
      if (to - from <= TAKEN_WITHIN_MS) return 0
      let [without, covered] = [0, from]
      const upTo = (instant: number): void => {
        if (instant - covered > TAKEN_WITHIN_MS) without += instant - covered
      }
      for (const span of spans) {
        if (span.from >= to) break
        if ((step !== undefined && span.step !== step) || span.to <= covered) continue
        upTo(span.from)
        covered = span.to
      }
      upTo(to)
      return without
    }
  }

  #sign(
    stream: string,
    { step, from, at, leaseSeconds }: { step: Step; from: number; at: number; leaseSeconds: number },
  ) {
    this.#open.set(stream, { step, from, to: at, leaseEndsAt: at + leaseSeconds * 1000 })
  }

  #end(stream: string, step: Step, to: number): void {
    const open = this.#open.get(stream)
    if (open === undefined && this.#begun.has(stream)) return
    this.#spans.push({ step, from: open?.from ?? this.#from, to })
    this.#open.delete(stream)
  }

  /** If a job ends after the lease has run out, its worker did not end it. */
  #cut(stream: string, at: number): void {
    const open = this.#open.get(stream)
    if (open !== undefined && at < open.leaseEndsAt) open.to = at
    this.#close(stream)
  }

  #close(stream: string): void {
    const open = this.#open.get(stream)
    if (open !== undefined) this.#spans.push(open)
    this.#open.delete(stream)
  }
}

/**
 * Reads the events of all jobs while one job was open.
 * @param first,last positions of the job's first and last event
 */
export async function runningWorkers(
  store: HistoryStore,
  { first, last }: { first: StoredEvent; last: StoredEvent | undefined },
): Promise<RunningWorkers> {
  const workers = new RunningWorkers(first.recordedAt)
  const end = new AbortController()
  const feed = store.follow({ after: first.position - 1, prefixes: ['job-'], signal: end.signal })
  for await (const { events, position, caughtUp } of feed) {
    for (const event of events) if (last === undefined || event.position <= last.position) workers.take(event)
    if (caughtUp || (last !== undefined && position >= last.position)) break
  }
  end.abort()
  return workers
}
