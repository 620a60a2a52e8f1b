/**
 * The messages between the writer's thread and its owner, as flat lists: nested objects take three times as long to
 * pass between threads.
 */
import type { EncodedEvent } from '#packages/events/format/codec.ts'
import type { EncodedAppend, Stored, WriteOutcome, WriteRequest } from './append-writer.ts'

export type WriterCall = { call: number; request: WriteRequest }
export type WriterAnswer = { call: number; outcome: WriteOutcome }

type Item = string | number | Uint8Array
export type FlatMessage = Item[]

export function packCalls(calls: readonly WriterCall[]): FlatMessage {
  const flat: FlatMessage = []
  for (const { call, request } of calls) {
    flat.push(call, request.kind)
    if (request.kind === 'append') packAppend(flat, request)
    else if (request.kind === 'append-together') {
      flat.push(request.appends.length)
      for (const append of request.appends) packAppend(flat, append)
    } else {
      flat.push(request.stream)
      if (request.kind === 'truncate') flat.push(request.before)
    }
  }
  return flat
}

function packAppend(flat: FlatMessage, { stream, expected, events }: EncodedAppend): void {
  flat.push(stream, expected, events.length)
  for (const { id, type, version, data, metadata } of events) flat.push(id, type, version, data, metadata)
}

export function packAnswers(answers: readonly WriterAnswer[]): FlatMessage {
  const flat: FlatMessage = []
  for (const { call, outcome } of answers) {
    flat.push(call)
    packOutcome(flat, outcome)
  }
  return flat
}

function packOutcome(flat: FlatMessage, outcome: WriteOutcome): void {
  flat.push(outcome.kind)
  if (outcome.kind === 'appended') flat.push(outcome.revision, outcome.position, outcome.recordedAt)
  else if (outcome.kind === 'repeated') flat.push(outcome.revision, outcome.position)
  else if (outcome.kind === 'conflict') flat.push(outcome.actual)
  else if (outcome.kind === 'failed' || outcome.kind === 'unwritable') flat.push(outcome.reason)
  else if (outcome.kind === 'gone') flat.push(outcome.problem)
  else if (outcome.kind === 'together') {
    flat.push(outcome.stored.length)
    for (const one of outcome.stored) packOutcome(flat, one)
  } else if (outcome.kind === 'not-together') {
    flat.push(outcome.stream)
    packOutcome(flat, outcome.refused)
  }
}

/** Reads the items of a message in the order in which they were packed. The packing function determines their types. */
class Unpacking {
  readonly #flat: FlatMessage
  #at = 0

  constructor(flat: FlatMessage) {
    this.#flat = flat
  }

  get more(): boolean {
    return this.#at < this.#flat.length
  }

  next<T extends Item>(): T {
    return this.#flat[this.#at++] as T
  }
}

export function unpackCalls(flat: FlatMessage): WriterCall[] {
  const items = new Unpacking(flat)
  const calls: WriterCall[] = []
  while (items.more) calls.push({ call: items.next(), request: unpackRequest(items) })
  return calls
}

function unpackRequest(items: Unpacking): WriteRequest {
  const kind = items.next<WriteRequest['kind']>()
  if (kind === 'append') return { kind, ...unpackAppend(items) }
  if (kind === 'append-together') return { kind, appends: listOf(items, unpackAppend) }
  const stream = items.next<string>()
  if (kind === 'remove') return { kind, stream }
  return { kind, stream, before: items.next() }
}

const unpackAppend = (items: Unpacking): EncodedAppend => ({
  stream: items.next(),
  expected: items.next<number | 'no-stream'>(),
  events: listOf(items, unpackEvent),
})

const unpackEvent = (items: Unpacking): EncodedEvent => ({
  id: items.next(),
  type: items.next(),
  version: items.next(),
  data: items.next(),
  metadata: items.next(),
})

/** A list, which begins with its length. */
function listOf<T>(items: Unpacking, unpack: (items: Unpacking) => T): T[] {
  const list: T[] = []
  for (let left = items.next<number>(); left > 0; left--) list.push(unpack(items))
  return list
}

export function unpackAnswers(flat: FlatMessage): WriterAnswer[] {
  const items = new Unpacking(flat)
  const answers: WriterAnswer[] = []
  while (items.more) answers.push({ call: items.next(), outcome: unpackOutcome(items) })
  return answers
}

function unpackOutcome(items: Unpacking): WriteOutcome {
  const kind = items.next<WriteOutcome['kind']>()
  if (kind === 'appended') return { kind, revision: items.next(), position: items.next(), recordedAt: items.next() }
  if (kind === 'repeated') return { kind, revision: items.next(), position: items.next() }
  if (kind === 'conflict') return { kind, actual: items.next() }
  if (kind === 'failed' || kind === 'unwritable') return { kind, reason: items.next() }
  if (kind === 'gone') return { kind, problem: items.next() }
  if (kind === 'together') return { kind, stored: listOf(items, unpackOutcome) as Stored[] }
  if (kind === 'not-together') {
    const stream = items.next<string>()
    return { kind, stream, refused: unpackOutcome(items) as (WriteOutcome & { kind: 'not-together' })['refused'] }
  }
  return { kind }
}
