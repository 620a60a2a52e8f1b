/**
 * Runs what a process is for, from its start to its end: SIGINT and SIGTERM stop it, and so does the end of the process
 * that supervises it, where there is one. What it throws is told to the person who started it, and the exit status is 1.
 */
export async function runProcess(work: (stop: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController()
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
