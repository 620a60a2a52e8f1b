/** How long it may take to end once it is stopped: one that waits for a server that is gone would wait for ever. */
const END_MS = 20_000

/**
 * Runs what a process is for, from its start to its end: SIGINT and SIGTERM stop it, and so does the end of the process
 * that supervises it, where there is one. What it throws is told to the person who started it, and the exit status is 1.
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
  }
}

function giveUp(afterMs: number): void {
  console.error(`it was stopped, and has not ended within ${afterMs / 1000} s`)
  process.exit(1)
}
