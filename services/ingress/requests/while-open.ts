import type { Response } from 'express'

/** Calls `act` with a signal that is aborted when the caller leaves or the server closes. */
export async function whileOpen<T>(
  response: Response,
  closing: AbortSignal,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController()
  const leave = (): void => end.abort()
  if (closing.aborted) leave()
  response.once('close', leave)
  closing.addEventListener('abort', leave)
  try {
    return await act(end.signal)
  } finally {
    response.off('close', leave)
    closing.removeEventListener('abort', leave)
  }
}
