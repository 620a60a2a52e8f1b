import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

/**
 * Writes a part of an answer, unless the signal is aborted. Resolves when the reader has room for more, or has left.
 */
export async function writeTo(response: ServerResponse, part: string | Uint8Array, signal: AbortSignal): Promise<void> {
  if (signal.aborted || response.write(part)) return
  // Only the abort rejects it.
  await once(response, 'drain', { signal }).catch(() => undefined)
}
