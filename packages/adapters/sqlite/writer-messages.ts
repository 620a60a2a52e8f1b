/**
 * The messages between the writer's thread and its owner, as flat lists: nested objects take three times as long to
 * pass between threads.
 */
import type { EncodedEvent } from '#packages/events/codec.ts'
import type { WriteOutcome, WriteRequest } from './append-writer.ts'

export type WriterCall = { call: number; request: WriteRequest }
export type WriterAnswer = { call: number; outcome: WriteOutcome }

type Item = string | number | Uint8Array
export type FlatMessage = Item[]

export function packCalls(calls: readonly WriterCall[]): FlatMessage {
  const flat: FlatMessage = []
  for (const { call, request } of calls) {
    flat.push(call, request.kind, request.stream)
    if (request.kind === 'truncate') flat.push(request.before)
    if (request.kind !== 'append') continue
    flat.push(request.expected, request.events.length)
    for (const { id, type, version, data, metadata } of request.events) flat.push(id, type, version, data, metadata)
  }
  return flat
}

export function packAnswers(answers: readonly WriterAnswer[]): FlatMessage {
  const flat: FlatMessage = []
  for (const { call, outcome } of answers) {
    flat.push(call, outcome.kind)
    if (outcome.kind === 'appended') flat.push(outcome.revision, outcome.position, outcome.recordedAt)
    else if (outcome.kind === 'repeated') flat.push(outcome.revision, outcome.position)
    else if (outcome.kind === 'conflict') flat.push(outcome.actual)
    else if (outcome.kind === 'failed') flat.push(outcome.reason)
    else if (outcome.kind === 'gone') flat.push(outcome.problem)
  }
  return flat
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
  const stream = items.next<string>()
  if (kind === 'remove') return { kind, stream }
  if (kind === 'truncate') return { kind, stream, before: items.next() }
  const expected = items.next<number | 'no-stream'>()
  const events: EncodedEvent[] = []
  for (let left = items.next<number>(); left > 0; left--) {
    events.push({
      id: items.next(),
      type: items.next(),
      version: items.next(),
      data: items.next(),
      metadata: items.next(),
    })
  }
  return { kind, stream, expected, events }
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
  if (kind === 'failed') return { kind, reason: items.next() }
  if (kind === 'gone') return { kind, problem: items.next() }
  return { kind }
}
