/** How long a process may take to end once it is stopped, milliseconds. A silent server could block it forever. */
const END_MS = 20_000

/** How long abandoned work may continue after the end, milliseconds: the last log lines are still being written. */
const LINGER_MS = 250

/**
 * The work of a process.
 * @param stop aborted when the work is to end
 * @param gaveUp to be called if the work abandons something that may keep the process open
 */
export type Work = (stop: AbortSignal, gaveUp: () => void) => Promise<void>

/**
 * Runs the work of a process. SIGINT and SIGTERM stop it, and so does the end of a supervising process. If the work
 * throws, the message is printed and the exit status is 1.
 *
 * A handle that the work left open keeps the process alive, which is a defect. Only if the work abandoned something is
 * the process ended anyway.
 */
export async function runProcess(work: Work, endMs = END_MS): Promise<void> {
  const stop = new AbortController()
  stop.signal.addEventListener('abort', () => setTimeout(endLate, endMs, endMs).unref())
  // `on` instead of `once`: Ctrl-C on `npm run` comes twice, from the terminal and from npm. The second would end the
  // process at once.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort())
  process.once('disconnect', () => stop.abort())
  process.channel?.unref()
  let hasGivenUp = false
  const gaveUp = (): void => {
    hasGivenUp = true
  }
  try {
    await work(stop.signal, gaveUp)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  } finally {
    if (process.connected) process.disconnect()
    if (hasGivenUp) setTimeout(() => process.exit(), LINGER_MS).unref()
  }
}

function endLate(afterMs: number): void {
  console.error(`it was stopped, and has not ended within ${afterMs / 1000} s`)
  process.exit(1)
}
