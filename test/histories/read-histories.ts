import { readdirSync, readFileSync } from 'node:fs'
import type { EventMetadata } from '#contracts/generated/messages.ts'
import { EventCodec } from '#packages/events/format/codec.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { keyIdOf, streams } from '#packages/ports/ids.ts'

/** An event as it was written. */
export type HistoricEvent = {
  type: string
  version: number
  data: unknown
  metadata: EventMetadata
  recordedAt: number
}

/** One stream as it was written, and the state that it folds to. */
export type History = {
  /** The name of the file. */
  name: string
  /**
   * The kind of stream: `job`, `credits`, `key`, `organization`, `removal`, `requests`, `batch`, `watch`, `webhook` or
   * `delivery`.
   */
  kind: string
  written: HistoricEvent[]
  /** The same events as the stores return them today, at the newest version of their types. */
  events: StoredEvent[]
  /** As JSON: a Map becomes an object, and undefined is left out. */
  state: unknown
}

const root = new URL('./', import.meta.url)
const codec = new EventCodec()
const id = '00000000-0000-4000-8000-000000000000'

function stored(stream: string, written: readonly HistoricEvent[], startAt: number): StoredEvent[] {
  return written.map(({ type, version, data, metadata, recordedAt }, revision) =>
    codec.decode({
      id,
      type,
      version,
      data: JSON.stringify(data),
      metadata: JSON.stringify(metadata),
      stream,
      revision,
      position: startAt + revision,
      recordedAt,
    }),
  )
}

/** The kinds of streams that are named after the correlation of their events. */
const ofCorrelation = ['job', 'removal', 'batch', 'watch', 'webhook', 'delivery'] as const

/** The stream's own name, from the data of its first event. */
function streamOf(kind: string, [first]: readonly HistoricEvent[]): string {
  if (first === undefined) throw new Error(`a history of kind ${kind} is empty`)
  const { orgId, correlationId } = first.metadata
  const own = ofCorrelation.find((each) => each === kind)
  if (own !== undefined) return streams[own](correlationId)
  if (kind === 'requests') return streams.requests(orgId)
  if (kind === 'key') return streams.key(keyIdOf((first.data as { sha256: string }).sha256))
  return kind === 'credits' ? streams.credits(orgId) : streams.organization(orgId)
}

/** All golden histories. Their events get distinct positions, in the order of the files. */
export function readHistories(): History[] {
  let position = 1
  return readdirSync(root)
    .filter((file) => file.endsWith('.jsonl'))
    .sort()
    .map((file) => {
      const name = file.slice(0, -'.jsonl'.length)
      const kind = /^[a-z]+/.exec(name)?.[0] ?? ''
      const lines = readFileSync(new URL(file, root), 'utf8').trimEnd().split('\n')
      const written = lines.map((line) => JSON.parse(line) as HistoricEvent)
      const events = stored(streamOf(kind, written), written, position)
      position += events.length
      const state: unknown = JSON.parse(readFileSync(new URL(`${name}.state.json`, root), 'utf8'))
      return { name, kind, written, events, state }
    })
}
