import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import type { OnWait } from '#packages/foundation/concurrency/single-flight.ts'

/** One call of a tool: its time limit, its progress and its job. */
export type Turn = {
  /** Aborted when the caller cancels, or when an answer is due. */
  signal: AbortSignal
  /** Sends a progress notification, if the caller asked for them. */
  tell(progress: string): void
  /** Called when the wait for the job begins and ends. */
  onWait: OnWait
  /** The job of the call, once it is known. */
  jobId?: string
}

/** The work ends this long before the answer is due, milliseconds. */
const MARGIN_MS = 1000

/**
 * Works within the time that hosts allow. When it is over, the signal of `work` is aborted and `late` answers instead.
 * A caller that cancels ends the wait, never the job.
 */
export async function takeTurn(
  host: Pick<ServerContext['mcpReq'], 'signal' | '_meta' | 'notify'> & { onWait?: OnWait | undefined },
  answerSeconds: number,
  work: (turn: Turn) => Promise<CallToolResult>,
  late: (turn: Turn) => CallToolResult,
): Promise<CallToolResult> {
  const due = new AbortController()
  const answerMs = answerSeconds * 1000
  const timer = setTimeout(() => due.abort(), answerMs - Math.min(MARGIN_MS, answerMs / 10))
  let progress = 0
  const progressToken = host._meta?.progressToken
  const tell = (message: string): void => {
    if (progressToken === undefined) return
    const params = { progressToken, progress: ++progress, message }
    // A host that has disconnected needs no progress.
    host.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
  const turn: Turn = { signal: AbortSignal.any([host.signal, due.signal]), tell, onWait: host.onWait ?? (() => {}) }
  try {
    return await work(turn)
  } catch (error) {
    if (due.signal.aborted && error === due.signal.reason) return late(turn)
    throw error
  } finally {
    clearTimeout(timer)
  }
}
