import type { RecordedEvent } from './records.ts'
import { WireReader } from './wire.ts'

/** What the server sends to a reader. */
export type ReadAnswer =
  /** `bytes`: of the whole message. */
  | { kind: 'event'; event: RecordedEvent; bytes: number }
  /** The server has looked at everything up to this position. */
  | { kind: 'checkpoint'; position: number }
  | { kind: 'caught-up' }
  | { kind: 'confirmation' }
  /** Anything else, such as how far a stream reaches. */
  | { kind: 'other' }

/** Numbers of fields in the server's streams.proto and shared.proto. */
const answer = { event: 1, confirmation: 2, checkpoint: 3, caughtUp: 8 } as const
const checkpoint = { commit: 1 } as const
const readEvent = { event: 1 } as const
const recorded = { id: 1, stream: 2, revision: 3, prepare: 4, commit: 5, metadata: 6, custom: 7, data: 8 } as const
const uuid = { text: 2 } as const
const streamIdentifier = { name: 3 } as const
const entry = { key: 1, value: 2 } as const

/** One message of the server to a reader, read as the client would. */
export function readAnswerOf(bytes: Buffer): ReadAnswer {
  const message = new WireReader(bytes)
  let found: ReadAnswer = { kind: 'other' }
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === answer.event) found = eventAnswerOf(message.message()) ?? found
    else if (field === answer.checkpoint)
      found = { kind: 'checkpoint', position: message.message().number(checkpoint.commit) }
    else {
      if (field === answer.caughtUp) found = { kind: 'caught-up' }
      if (field === answer.confirmation) found = { kind: 'confirmation' }
      message.skip()
    }
  }
  return found
}

function eventAnswerOf(message: WireReader): ReadAnswer | undefined {
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === readEvent.event)
      return { kind: 'event', event: recordedEventOf(message.message()), bytes: message.bytes.length }
    message.skip()
  }
  return undefined
}

function recordedEventOf(message: WireReader): RecordedEvent {
  let [id, streamId, revision, prepare, commit] = ['', '', 0, 0, 0]
  let [custom, data] = [nothing, nothing]
  const named = { type: '<no-event-type-provided>', 'content-type': '', created: '' }
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === recorded.id) id = textIn(message.message(), uuid.text)
    else if (field === recorded.stream) streamId = textIn(message.message(), streamIdentifier.name)
    else if (field === recorded.revision) revision = message.varint()
    else if (field === recorded.prepare) prepare = message.varint()
    else if (field === recorded.commit) commit = message.varint()
    else if (field === recorded.metadata) addEntry(named, message.message())
    else if (field === recorded.custom) custom = message.data()
    else if (field === recorded.data) data = message.data()
    else message.skip()
  }
  const isJson = named['content-type'] === 'application/json'
  return {
    streamId,
    id,
    revision: BigInt(revision),
    type: named.type,
    data: isJson ? parsed(data, () => data.toString()) : data,
    metadata: custom.length === 0 ? undefined : parsed(custom, () => custom),
    isJson,
    created: new Date(millisecondsOf(named.created)),
    position: { commit: BigInt(commit), prepare: BigInt(prepare) },
  } as RecordedEvent
}

const nothing: Buffer = Buffer.alloc(0)

function addEntry(named: Record<string, string>, message: WireReader): void {
  let [key, value] = ['', '']
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === entry.key) key = message.text()
    else if (field === entry.value) value = message.text()
    else message.skip()
  }
  if (key in named) named[key] = value
}

/** The server's instants are text: units of 100 ns since 1970, too many for a number. */
function millisecondsOf(ticks: string): number {
  const found = Number(ticks.slice(0, -4))
  return Number.isSafeInteger(found) ? found : 0
}

function parsed(json: Buffer, otherwise: () => unknown): unknown {
  try {
    return JSON.parse(json.toString())
  } catch {
    return otherwise()
  }
}

function textIn(message: WireReader, wanted: number): string {
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === wanted) return message.text()
    message.skip()
  }
  return ''
}
