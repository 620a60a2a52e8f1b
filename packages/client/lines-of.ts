/** The lines of a body as it comes, without their ends. The body is cancelled where the caller stops before its end. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  // Not every browser can iterate over a stream.
  const reader = body.getReader()
  let rest = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + decoder.decode(part.value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } finally {
    await reader.cancel()
  }
}
