/** How long a process may take to end once it is stopped: it might wait for ever for a server that does not answer. */
const END_MS = 20_000

/** How long something may go on once all is closed: an export of telemetry whose endpoint does not answer does. */
const LINGER_MS = 250

/**
 * Runs the work of a process. SIGINT and SIGTERM stop it, and so does the end of a supervising process. If the work
 * throws, the message is printed and the exit status is 1.
 */
export async function runProcess(work: (stop: AbortSignal) => Promise<void>, endMs = END_MS): Promise<void> {
  const stop = new AbortController()
  stop.signal.addEventListener('abort', () => setTimeout(giveUp, endMs, endMs).unref())
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  process.once('disconnect', () => stop.abort())
  process.channel?.unref()
  try {
    await work(stop.signal)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  } finally {
    if (process.connected) process.disconnect()
    setTimeout(() => process.exit(), LINGER_MS).unref()
  }
}

function giveUp(afterMs: number): void {
  console.error(`it was stopped, and has not ended within ${afterMs / 1000} s`)
  process.exit(1)
}
