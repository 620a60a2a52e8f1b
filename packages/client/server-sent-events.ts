import { linesOf } from './lines-of.ts'

/** One event of a stream. `event`: its type. */
export type ServerSentEvent = { event: string; data: string }

/** The events of a `text/event-stream` as this service writes it: one line of data each. */
export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let fields: Record<string, string> = {}
  for await (const line of linesOf(body)) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (name !== '') fields[name] = value
    if (line !== '') continue
    if (fields.data !== undefined) yield { event: fields.event ?? 'message', data: fields.data }
    fields = {}
  }
}
