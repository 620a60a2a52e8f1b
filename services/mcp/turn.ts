import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'

/** One call of a tool: what it may take, and whom it tells how far it is. */
export type Turn = {
  /** Aborted when the caller cancels, or when an answer is due. */
  signal: AbortSignal
  /** Sends a progress notification, where the caller asked for them. */
  tell(stage: string): void
  /** The job that the call is about, once it is known. */
  jobId?: string
}

/** Where an answer is due, the work has this long less to make one, milliseconds. */
const MARGIN_MS = 1000

/**
 * Works within the time that hosts give. Where it does not suffice, `late` answers instead of `work`, whose signal is
 * aborted. A caller that cancels ends the waiting, never the job.
 */
export async function takeTurn(
  host: Pick<ServerContext['mcpReq'], 'signal' | '_meta' | 'notify'>,
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
    // Whoever is gone needs no progress.
    host.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
  const turn: Turn = { signal: AbortSignal.any([host.signal, due.signal]), tell }
  try {
    return await work(turn)
  } catch (error) {
    if (due.signal.aborted && error === due.signal.reason) return late(turn)
    throw error
  } finally {
    clearTimeout(timer)
  }
}
