/** One event as an EventSource reads it. */
export type ReadEvent = { id: string | undefined; event: string; data: unknown }

/** Reads a stream of server-sent events as it comes. */
export class EventSourceReader {
  readonly status: number
  readonly headers: Headers
  readonly events: ReadEvent[] = []
  readonly comments: string[] = []
  /** Whether the stream has ended or broken off. */
  isOver = false
  readonly #end: AbortController

  private constructor({ status, headers }: Response, end: AbortController) {
    this.status = status
    this.headers = headers
    this.#end = end
  }

  static async open(url: string, headers: Record<string, string>): Promise<EventSourceReader> {
    const end = new AbortController()
    const response = await fetch(url, { headers, signal: end.signal })
    const reader = new EventSourceReader(response, end)
    // Rejects if the connection breaks off, and after `close`.
    void reader
      .#read(response)
      .catch(() => undefined)
      .then(() => {
        reader.isOver = true
      })
    return reader
  }

  close(): void {
    this.#end.abort()
  }

  async #read({ body }: Response): Promise<void> {
    let text = ''
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (text + piece).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) this.#take(block)
    }
  }

  #take(block: string): void {
    const lines = new Map<string, string>()
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([a-z]*): ?(.*)$/.exec(line) ?? []
      if (name === '') this.comments.push(value)
      else lines.set(name, value)
    }
    const event = lines.get('event')
    if (event !== undefined) this.events.push({ id: lines.get('id'), event, data: JSON.parse(lines.get('data') ?? '') })
  }
}
