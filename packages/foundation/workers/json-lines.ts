export type JsonLinesOptions = {
  /** The longest line. */
  maxBytes: number
  onMessage(message: Record<string, unknown>): void
  onFault(what: string): void
}

/** Returns a function that takes text in pieces, and passes each line's JSON object to `onMessage`. */
export function jsonLines({ maxBytes, onMessage, onFault }: JsonLinesOptions): (text: string) => void {
  let parts: string[] = []
  let length = 0
  return (text) => {
    const lines = text.split('\n')
    const rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = parsed(parts.join('') + line)
      parts = []
      length = 0
      if (message) onMessage(message)
      else onFault('wrote a line that is not an answer')
    }
    parts.push(rest)
    length += rest.length
    if (length > maxBytes) onFault('wrote too long an answer')
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined // the caller reports it as a fault of the worker
  }
}
