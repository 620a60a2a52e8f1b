import type { Egress, EgressRequest, EgressResponse } from './egress.ts'
import { EgressError } from './egress-error.ts'

/** A request for a whole answer. `deadlineMs` bounds the total time, including redirects and body. */
export type Question = Omit<EgressRequest, 'redirect' | 'compressed'> & { deadlineMs: number }

/** An answer that has been read to its end. */
export type Answer = {
  /** The final URL, after redirects. */
  url: string
  status: number
  headers: Record<string, string | string[] | undefined>
  /** The body as UTF-8. */
  text: string
  /** The body, parsed as JSON. @throws EgressError `unreadable` when it is not JSON */
  json(): unknown
}

/**
 * Requests a page or an API's answer, compressed if the server can, and reads all of it.
 * @throws EgressError, `timeout` past the deadline; the signal's reason when aborted
 */
export async function ask(egress: Egress, url: string, { deadlineMs, ...question }: Question): Promise<Answer> {
  const host = URL.parse(url)?.hostname ?? ''
  return withinDeadline(question.signal, { deadlineMs, host }, async (signal) => {
    await using answer = await egress.request(url, { ...question, signal, compressed: true })
    const text = await textOf(answer)
    return {
      url: answer.url,
      status: answer.status,
      headers: answer.headers,
      text,
      json: () => parsed(text, answer.url),
    }
  })
}

/** The body of an answer as UTF-8. @throws EgressError as the body does */
export async function textOf({ body }: EgressResponse): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return new TextDecoder().decode(Buffer.concat(pieces))
}

/**
 * Runs work, which `signal` or the deadline aborts.
 * @throws EgressError `timeout`, naming the host, after the deadline; the signal's reason; what the work throws
 */
export async function withinDeadline<T>(
  signal: AbortSignal,
  { deadlineMs, host }: { deadlineMs: number; host: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(deadlineMs)
  try {
    return await work(AbortSignal.any([signal, deadline]))
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw error === deadline.reason ? new EgressError('timeout', `${host} took longer than ${deadlineMs} ms`) : error
  }
}

function parsed(text: string, url: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // the parser's own message shows the text
    throw new EgressError('unreadable', `${new URL(url).hostname} sends no JSON`)
  }
}
