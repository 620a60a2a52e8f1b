import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai'

/**
 * How a call to an endpoint ended. `refused`: it did not accept the form of the request. `denied`: it refused this
 * service because of its key, model or path. `failed`: it reported an error of its own. `cancelled`: we ended the call,
 * because the answer is no longer wanted.
 */
export type Outcome =
  | 'ok'
  | 'timeout'
  | 'unreachable'
  | 'unreadable'
  | 'rate_limited'
  | 'refused'
  | 'denied'
  | 'failed'
  | 'cancelled'

/** Whether the form of the request was refused. Some routers answer 404 if none of their models accepts pictures. */
export const isAboutForm = ({ status, message }: APIError): boolean =>
  [400, 413, 415, 422].includes(status ?? 0) || (status === 404 && /image|vision|modal/i.test(message))

/** Whether a later call may succeed. */
export const mayPass = (status: number): boolean => status === 408 || status === 409 || status === 429 || status >= 500

/** The outcome of a call that threw. @param signal of the call; aborted with the code `deadline` when its time is up */
export function outcomeOf(error: unknown, signal: AbortSignal): Outcome {
  if (signal.aborted) return signal.reason?.code === 'deadline' ? 'timeout' : 'cancelled'
  if (error instanceof APIConnectionTimeoutError) return 'timeout'
  if (error instanceof APIConnectionError) return 'unreachable'
  if (!(error instanceof APIError) || error.status === undefined) return 'unreadable'
  if (isAboutForm(error)) return 'refused'
  if (error.status === 429) return 'rate_limited'
  return mayPass(error.status) ? 'failed' : 'denied'
}
