import { gunzipSync, gzipSync } from 'node:zlib'
import {
  AppendTooLargeError,
  InvalidEventError,
  type NewEvent,
  type StoredEvent,
  UnknownEventError,
} from '#packages/ports/event-store.ts'
import { type EventCatalog, type EventKind, releasedEvents, type Validator } from './catalog.ts'
import { newestFormat } from './versions.ts'

/** An event in the form that stores keep: text and bytes. */
export type EncodedEvent = {
  id: string
  type: string
  version: number
  /** JSON; gzipped if it is long. */
  data: string | Uint8Array
  /** JSON. */
  metadata: string
}

/** An event's id, type and version, its place in the store, and when it was recorded. */
export type EventPlace = Pick<EncodedEvent, 'id' | 'type' | 'version'> & {
  stream: string
  revision: number
  position: number
  /** Milliseconds since 1970, UTC. */
  recordedAt: number
}

/** An encoded event with its place in the store. */
export type EncodedRecord = EncodedEvent & EventPlace

/** Limit of an append's encoded data, without metadata, in bytes. EventStoreDB imposes it. */
export const maxAppendBytes = 1_048_576
/** JSON longer than this many bytes is stored compressed. */
const compressAboveBytes = 64 * 1024
/** Limit of an event's JSON before compression, in bytes: all of it is held in memory. */
const maxDataBytes = 32 * 1_048_576

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Names the field and the reason, never the value: errors are logged, and values may be a customer's. */
function reasonOf(validator: Validator): string {
  return (validator.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message ?? ''}`).join('; ')
}

function compressed(stream: string, json: string, bytes: number): string | Uint8Array {
  if (bytes > maxDataBytes) throw new AppendTooLargeError(stream, bytes)
  // gzip, because events are stored permanently, and every tool reads gzip.
  return bytes > compressAboveBytes ? gzipSync(json) : json
}

export type EventCodecOptions = {
  catalog?: EventCatalog
  /**
   * Events are written in the versions of this format, so every process that reads them has to know it. All versions
   * can be read in any format. Default: the newest.
   */
  format?: number
}

/**
 * Converts events to the stored form and back: validates, compresses, upcasts and downcasts. The same for every store.
 */
export class EventCodec {
  readonly #catalog: EventCatalog
  readonly #format: number

  constructor({ catalog = releasedEvents, format = newestFormat }: EventCodecOptions = {}) {
    this.#catalog = catalog
    this.#format = format
  }

  /**
   * @param events in their newest versions
   * @throws InvalidEventError an event does not fit its schema, or there is none
   * @throws AppendTooLargeError together they exceed 1 MiB
   */
  encode(stream: string, events: readonly NewEvent[]): EncodedEvent[] {
    if (events.length === 0) throw new RangeError(`an append to ${stream} needs at least one event`)
    let total = 0
    const encoded = events.map((event) => {
      const { version, written } = downcast(this.#checkNew(event), event, this.#format)
      const json = JSON.stringify(written)
      const bytes = Buffer.byteLength(json)
      const data = compressed(stream, json, bytes)
      total += typeof data === 'string' ? bytes : data.byteLength
      return { id: event.id, type: event.type, version, data, metadata: JSON.stringify(event.metadata) }
    })
    if (total > maxAppendBytes) throw new AppendTooLargeError(stream, total)
    return encoded
  }

  /**
   * @throws UnknownEventError the type or the version is not known
   * @throws InvalidEventError the stored event does not fit the schema of its version
   */
  decode(record: EncodedRecord): StoredEvent {
    return this.decodeParsed(record, parse(record.data), JSON.parse(record.metadata))
  }

  /** The same, if the store's client has already parsed the JSON. */
  decodeParsed(record: EventPlace, parsed: unknown, metadata: unknown): StoredEvent {
    const { type, version } = record
    const kind = this.#kindOf(record)
    assertValid(type, kind.validators[version - 1], parsed)
    const data = upcast(kind, version, parsed)
    if (!this.#catalog.metadata(metadata)) throw new InvalidEventError(type, reasonOf(this.#catalog.metadata))
    return storedEvent(record, data, metadata)
  }

  /**
   * The same without validation, for bytes that the store knows to be unchanged since {@link encode}. They were
   * validated then, and released schemas never change.
   * @throws UnknownEventError the type or the version is not known
   */
  decodeWritten(record: EncodedRecord): StoredEvent {
    const data = upcast(this.#kindOf(record), record.version, parse(record.data))
    return storedEvent(record, data, JSON.parse(record.metadata))
  }

  /** @throws UnknownEventError the type or the version is not known */
  #kindOf({ type, version }: EventPlace): EventKind {
    const kind = this.#catalog.kinds.get(type)
    if (kind?.validators[version - 1] === undefined) throw new UnknownEventError(type, version)
    return kind
  }

  #checkNew(event: NewEvent): EventKind {
    const kind = this.#catalog.kinds.get(event.type)
    if (kind === undefined) throw new InvalidEventError(event.type, 'it has no schema')
    if (!uuid.test(event.id)) throw new InvalidEventError(event.type, 'its id is not a UUID')
    assertValid(event.type, kind.validators.at(-1), event.data)
    if (!this.#catalog.metadata(event.metadata)) {
      throw new InvalidEventError(event.type, `metadata ${reasonOf(this.#catalog.metadata)}`)
    }
    return kind
  }
}

function assertValid(type: string, validator: Validator | undefined, data: unknown): void {
  if (validator === undefined) throw new InvalidEventError(type, 'it has no schema')
  if (!validator(data)) throw new InvalidEventError(type, reasonOf(validator))
}

function storedEvent(record: EventPlace, data: unknown, metadata: unknown): StoredEvent {
  const { type, id, stream, revision, position, recordedAt } = record
  // The data was validated against the schemas from which the types are generated.
  return { type, data, id, metadata, stream, revision, position, recordedAt } as StoredEvent
}

/** The JSON of data that {@link EventCodec.encode} has compressed. */
export const textOf = (data: Uint8Array): string => gunzipSync(data, { maxOutputLength: maxDataBytes }).toString('utf8')

const parse = (data: string | Uint8Array): unknown => JSON.parse(typeof data === 'string' ? data : textOf(data))

/** Converts data of an older version to the newest. */
const upcast = ({ later }: EventKind, version: number, data: unknown): unknown =>
  version > later.length ? data : later.slice(version - 1).reduce((before, { upcast }) => upcast(before), data)

/** The data of a new event, in the version that a format writes. */
function downcast(kind: EventKind, { type, data }: NewEvent, format: number): { version: number; written: unknown } {
  const withheld = kind.later.filter(({ sinceFormat }) => sinceFormat > format)
  const version = kind.validators.length - withheld.length
  if (withheld.length === 0) return { version, written: data }
  const written = withheld.reduceRight<unknown>((newer, { downcast }) => downcast(newer), data)
  assertValid(type, kind.validators[version - 1], written)
  return { version, written }
}
