import type { RecordedEvent } from './records.ts'
import { entryIn, nameIn, uuid } from './shared-messages.ts'
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

/** One message of the server to a reader, read as the client would. */
export function readAnswerOf(bytes: Buffer): ReadAnswer {
  const message = new WireReader(bytes)
  let found: ReadAnswer = { kind: 'other' }
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === answer.event) found = eventAnswerOf(message.message()) ?? found
    else if (field === answer.checkpoint) found = { kind: 'checkpoint', position: commitIn(message.message()) }
    else {
      if (field === answer.caughtUp) found = { kind: 'caught-up' }
      if (field === answer.confirmation) found = { kind: 'confirmation' }
      message.skip()
    }
  }
  return found
}

const commitIn = (message: WireReader): number => (message.find(checkpoint.commit) ? message.varint() : 0)

const eventAnswerOf = (message: WireReader): ReadAnswer | undefined =>
  message.find(readEvent.event)
    ? { kind: 'event', event: recordedEventOf(message.message()), bytes: message.bytes.length }
    : undefined

function recordedEventOf(message: WireReader): RecordedEvent {
  let [id, streamId, revision, prepare, commit] = ['', '', 0, 0, 0]
  let [custom, data] = [nothing, nothing]
  const named = { type: '<no-event-type-provided>', 'content-type': '', created: '' }
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === recorded.id) id = idIn(message.message())
    else if (field === recorded.stream) streamId = nameIn(message.message())
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

const idIn = (message: WireReader): string => (message.find(uuid.text) ? message.text() : '')

function addEntry(named: Record<string, string>, message: WireReader): void {
  const [key, value] = entryIn(message)
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
